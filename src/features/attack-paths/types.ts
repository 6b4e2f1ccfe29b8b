import { type FindingType, findingTypes } from '../../graph/analysis/measure/finding-types.ts';
import { kindWords } from './type-words.ts';

export interface DescribedType extends FindingType {
  readonly title: string;
  readonly description: string;
  readonly remediation: string;
  /** Which percent decides how severe it is. */
  readonly severityBy: 'exposure' | 'impact';
}

const lists: Readonly<Record<string, readonly [title: string, description: string, remediation: string]>> = {
  Kerberoasting: [
    'Accounts with service names',
    'A user has a service name, so everybody who can sign in can get a ticket to guess its password from offline.',
    'Use a managed service account, or give it a long random password and remove service names that nobody needs.',
  ],
  T0MarkSensitive: [
    'Accounts of Tier Zero that can be delegated',
    'An enabled user of Tier Zero is not marked as sensitive, so a service that is trusted for delegation can act in its name.',
    'Mark the account as sensitive, so that nobody can act in its name.',
  ],
  AzureT0RoleActivationNoMFA: [
    'Roles of Tier Zero that are taken without a second factor',
    'Whoever may take a role of Tier Zero can do so without multi-factor authentication, so a stolen password or session is enough.',
    'Require multi-factor authentication, or an authentication context that does, in the settings of the role.',
  ],
  ASREPRoasting: [
    'Accounts without pre-authentication',
    'A user needs no Kerberos pre-authentication, so everybody on the network can get something to guess its password from offline.',
    'Require pre-authentication, and change the password.',
  ],
};

function described(type: FindingType): DescribedType {
  const { id, category, kind } = type;
  const severityBy = category === 'zone' ? 'exposure' : 'impact';
  if (kind === undefined) {
    const [title, description, remediation] = known(lists[id], id);
    return { ...type, title, description, remediation, severityBy };
  }
  const { title: name, does, remediation } = known(kindWords.get(kind), kind);
  if (category === 'zone') {
    const description = `Something outside of the zone ${does.replace(/\[(.*)\]/, '$1 in it')}.`;
    return { ...type, title: name, description, remediation, severityBy };
  }
  const title = `Large default groups: ${name}`;
  const description = `A group that nearly everybody is in ${does.replace(/[[\]]/g, '')}.`;
  return { ...type, title, description, remediation, severityBy };
}

function known<T>(words: T | undefined, of: string): T {
  if (words === undefined) throw new Error(`nobody has described ${of}`);
  return words;
}

export const describedTypes: readonly DescribedType[] = findingTypes.map(described);

/** The kind of edge of each type that has one. */
export const kindOfType: ReadonlyMap<string, string> = new Map(
  findingTypes.flatMap(({ id, kind }) => (kind === undefined ? [] : [[id, kind] as const])),
);
