import { nameType, type Principal } from './draft.ts';
import { model } from './members.ts';
import { type AdObject, objectConverter, stateDomain, stateTargets } from './object.ts';
import { Field, Method, type NodeMatch, type Properties } from './statements.ts';

const primary: Properties = Object.freeze({ isacl: false, isprimarygroup: true });
const listed: Properties = Object.freeze({ isacl: false, isprimarygroup: false });

export const accountNames = [
  'PrimaryGroupSID',
  'AllowedToDelegate',
  'HasSIDHistory',
  'DomainSID',
  'UnconstrainedDelegation',
] as const;
type AccountName = (typeof accountNames)[number];

const spnTarget = model('ComputerSID', 'Port', 'Service');
/** The services that an SPN can lead to; each is the kind of an edge. */
const spnServices: ReadonlySet<unknown> = new Set(['SQLAdmin']);

export const convertUser = objectConverter(
  { type: 'User', names: [...accountNames, 'SPNTargets'] },
  (user) => {
    stateAccount(user);
    stateDelegation(user);
    stateSpnTargets(user);
  },
);

/** What users and computers have in common. */
export function stateAccount(account: AdObject<AccountName>): void {
  const { draft, id, members } = account;
  const group = draft.id(members.PrimaryGroupSID, 'PrimaryGroupSID');
  if (group !== undefined) {
    draft.stub(group, 'Group');
    draft.edge(id, 'MemberOf', group, Field.PrimaryGroup, primary);
  }
  stateTargets(account, members.AllowedToDelegate, {
    kind: 'AllowedToDelegate',
    path: 'AllowedToDelegate',
    field: Field.AllowedToDelegate,
  });
  stateSidHistory(account);
}

function stateSidHistory(account: AdObject<'HasSIDHistory'>): void {
  stateTargets(account, account.members.HasSIDHistory, {
    kind: 'HasSIDHistory',
    path: 'HasSIDHistory',
    field: Field.HasSIDHistory,
  });
}

/** Unconstrained delegation. Older collectors tell it and the domain among the properties only. */
export function stateDelegation(account: AdObject<AccountName>): void {
  const { members, properties } = account;
  const isUnconstrained = properties.unconstraineddelegation ?? members.UnconstrainedDelegation;
  if (isUnconstrained !== true) return;
  stateDomain(account, properties.domainsid ?? members.DomainSID, 'CoerceToTGT', Field.Delegation);
}

function stateSpnTargets({ draft, id, members }: AdObject<'SPNTargets'>): void {
  draft.list(members.SPNTargets, 'SPNTargets').forEach((value, index) => {
    const path = `SPNTargets[${index}]`;
    const object = draft.object(value, path);
    if (object === undefined) return;
    const target = spnTarget(object);
    const computer = draft.id(target.ComputerSID, `${path}.ComputerSID`);
    if (computer === undefined) return;
    if (!spnServices.has(target.Service)) {
      draft.warn(`${path}.Service`, `is not a service that is read: ${nameType(target.Service)}`);
      return;
    }
    const port = typeof target.Port === 'number' ? target.Port : 0;
    draft.stub(computer, 'Computer');
    draft.edge(id, 'SQLAdmin', computer, Field.SPNTargets, { isacl: true, port });
  });
}

export const convertGroup = objectConverter(
  { type: 'Group', names: ['Members', 'HasSIDHistory'] },
  (group) => {
    const { draft, id, members } = group;
    draft.list(members.Members, 'Members').forEach((value, index) => {
      const member = draft.principal(value, 'Members', index);
      if (member === undefined) return;
      const isName = member.id.startsWith(namePrefix);
      if (!isName) draft.stub(member.id, member.type);
      draft.edge(isName ? byName(member) : member.id, 'MemberOf', id, Field.Members, listed);
    });
    if (Array.isArray(members.Members)) draft.whole(id, Field.Members, Method.Group);
    stateSidHistory(group);
  },
);

/** A collector that could not resolve a member gives its distinguished name instead of an id. */
const namePrefix = 'DN=';

function byName({ id, type }: Principal): NodeMatch {
  const properties = [{ key: 'distinguishedname', value: id.slice(namePrefix.length) }];
  return type === 'Base' ? { properties } : { properties, kind: type };
}
