import type { Draft } from './draft.ts';
import { adKindsOf } from './draft.ts';
import { model } from './members.ts';
import type { AdObject } from './object.ts';
import { Field, Method } from './statements.ts';

export const localNames = ['LocalGroups', 'UserRights'] as const;

const localGroup = model('ObjectIdentifier', 'Name', 'Results', 'LocalNames', 'Collected');
const namedPrincipal = model('ObjectIdentifier', 'PrincipalName');
const userRight = model('Privilege', 'Results', 'Collected');

/** The name that a collector gives to groups whose names it does not know, such as a domain's own. */
const namelessGroup = 'IGNOREME';
/** This group counts even when nobody is in it. */
const directAccessUsers = 'DIRECT ACCESS USERS';

/** The groups of a computer; whether any could be read. */
export function stateLocalGroups({ draft, id, members }: AdObject<'LocalGroups'>): boolean {
  const groups = draft.list(members.LocalGroups, 'LocalGroups');
  let collected = 0;
  groups.forEach((value, index) => {
    const path = `LocalGroups[${index}]`;
    const object = draft.object(value, path);
    if (object === undefined) return;
    const group = localGroup(object);
    if (!draft.flag(group.Collected, `${path}.Collected`)) return;
    collected++;
    stateLocalGroup(draft, id, group, path);
  });
  // A group that could not be read may still be there, so the list is whole only when all of them were.
  if (collected > 0 && collected === groups.length) draft.whole(id, Field.LocalGroups);
  return collected > 0;
}

function stateLocalGroup(
  draft: Draft,
  computer: string,
  group: ReturnType<typeof localGroup>,
  path: string,
): void {
  const id = draft.id(group.ObjectIdentifier, `${path}.ObjectIdentifier`);
  if (id === undefined) return;
  draft.whole(id, Field.LocalGroupMembers);
  const name = draft.id(group.Name, `${path}.Name`) ?? '';
  const results = draft.list(group.Results, `${path}.Results`);
  if (results.length === 0 && !name.startsWith(directAccessUsers)) return;
  stateMembers(draft, { id, name: name === namelessGroup ? '' : name, computer }, results, {
    path: `${path}.Results`,
    groupField: Field.LocalGroups,
    memberField: Field.LocalGroupMembers,
  });
  draft.list(group.LocalNames, `${path}.LocalNames`).forEach((value, index) => {
    const at = `${path}.LocalNames[${index}]`;
    const object = draft.object(value, at);
    if (object === undefined) return;
    const principal = namedPrincipal(object);
    const objectId = draft.id(principal.ObjectIdentifier, `${at}.ObjectIdentifier`);
    const called = draft.id(principal.PrincipalName, `${at}.PrincipalName`);
    if (objectId === undefined || called === undefined) return;
    draft.node({ objectId, kinds: adKindsOf('Base'), properties: { name: called }, collected: false });
  });
}

/** One local group with its computer and its members. */
function stateMembers(
  draft: Draft,
  group: { readonly id: string; readonly name: string; readonly computer: string },
  members: readonly unknown[],
  source: { readonly path: string; readonly groupField: Field; readonly memberField: Field },
): void {
  if (group.name === '') draft.stub(group.id, 'ADLocalGroup');
  else {
    const properties = { name: group.name };
    draft.node({ objectId: group.id, kinds: adKindsOf('ADLocalGroup'), properties, collected: false });
  }
  draft.edge(group.id, 'LocalToComputer', group.computer, source.groupField);
  for (const member of draft.principals(members, source.path)) {
    draft.edge(member.id, 'MemberOfLocalGroup', group.id, source.memberField);
  }
}

export function stateUserRights({ draft, id, members, properties }: AdObject<'UserRights'>): void {
  draft.list(members.UserRights, 'UserRights').forEach((value, index) => {
    const path = `UserRights[${index}]`;
    const object = draft.object(value, path);
    if (object === undefined) return;
    const { Privilege, Results, Collected } = userRight(object);
    if (Privilege !== 'SeRemoteInteractiveLogonRight' || !draft.flag(Collected, `${path}.Collected`)) return;
    properties.hasura = true;
    for (const holder of draft.principals(Results, `${path}.Results`)) {
      draft.edge(holder.id, 'RemoteInteractiveLogonRight', id, Field.UserRights);
    }
    draft.whole(id, Field.UserRights);
  });
}

const gpoChanges = model(
  'AffectedComputers',
  'LocalAdmins',
  'RemoteDesktopUsers',
  'DcomUsers',
  'PSRemoteUsers',
);
const changedGroups = [
  ['LocalAdmins', '544'],
  ['RemoteDesktopUsers', '555'],
  ['DcomUsers', '562'],
  ['PSRemoteUsers', '580'],
] as const;

/** Members that group policies put into the local groups of the computers below a domain or an OU. */
export function stateGpoChanges({ draft, members }: AdObject<'GPOChanges'>): void {
  const object = draft.object(members.GPOChanges, 'GPOChanges');
  if (object === undefined) return;
  const changes = gpoChanges(object);
  const groups = changedGroups.filter(([name]) => draft.list(changes[name], `GPOChanges.${name}`).length > 0);
  if (groups.length === 0) return;
  for (const computer of draft.principals(changes.AffectedComputers, 'GPOChanges.AffectedComputers')) {
    for (const [name, rid] of groups) {
      const group = { id: `${computer.id}-${rid}`, name: '', computer: computer.id };
      stateMembers(draft, group, changes[name] as unknown[], {
        path: `GPOChanges.${name}`,
        groupField: Field.GPOChanges,
        memberField: Field.GPOChanges,
      });
    }
  }
}

const gpLink = model('Guid', 'IsEnforced');

/** The policies that are linked to a domain or an OU. */
export function stateLinks({ draft, id, members }: AdObject<'Links'>): void {
  draft.list(members.Links, 'Links').forEach((value, index) => {
    const path = `Links[${index}]`;
    const object = draft.object(value, path);
    if (object === undefined) return;
    const link = gpLink(object);
    const policy = draft.id(link.Guid, `${path}.Guid`);
    if (policy === undefined) return;
    draft.stub(policy, 'GPO');
    const enforced = draft.flag(link.IsEnforced, `${path}.IsEnforced`);
    draft.edge(policy, 'GPLink', id, Field.Links, { isacl: false, enforced });
  });
  if (Array.isArray(members.Links)) draft.whole(id, Field.Links, Method.Container);
}
