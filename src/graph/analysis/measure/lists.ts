import type { Estate } from '../estate.ts';

/** Something that is wrong with one node by itself. */
export interface ListedNode {
  readonly type: string;
  readonly node: number;
}

const krbtgt = '-502';

/** Accounts that can be roasted, wherever they are. */
export function* roastable(estate: Estate): Generator<ListedNode> {
  for (const node of enabledUsers(estate)) {
    const isKrbtgt = estate.objectId(node).endsWith(krbtgt);
    if (estate.property(node, 'hasspn') === true && !isKrbtgt) yield { type: 'Kerberoasting', node };
    if (estate.property(node, 'dontreqpreauth') === true) yield { type: 'ASREPRoasting', node };
  }
}

/** What can be asked of nodes of Tier Zero; `undefined` where nobody collected the answer. */
interface Question {
  readonly type: CheckedType;
  readonly isOfDomains: boolean;
  nodes(estate: Estate): readonly number[];
  isWrong(estate: Estate, node: number): boolean | undefined;
}

/** Types of findings that say of how many nodes it is known whether they are right. */
export const checkedTypes = ['T0MarkSensitive', 'AzureT0RoleActivationNoMFA'] as const;
export type CheckedType = (typeof checkedTypes)[number];

export const tierZeroQuestions: readonly Question[] = [
  {
    type: 'T0MarkSensitive',
    isOfDomains: true,
    nodes: enabledUsers,
    isWrong: (estate, node) => negated(estate.property(node, 'sensitive')),
  },
  {
    type: 'AzureT0RoleActivationNoMFA',
    isOfDomains: false,
    nodes: (estate) => estate.nodesOf('AZRole'),
    // Who must pass a policy of Conditional Access instead may have to give a second factor there.
    isWrong: (estate, node) =>
      estate.property(node, 'enduserassignmentrequirescapauthenticationcontext') === true
        ? false
        : negated(estate.property(node, 'enduserassignmentrequiresmfa')),
  },
];

function enabledUsers(estate: Estate): readonly number[] {
  return estate.nodesOf('User').filter((node) => estate.property(node, 'enabled') === true);
}

function negated(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? !value : undefined;
}
