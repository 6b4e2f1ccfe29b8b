import { model } from '../members.ts';
import { elements, type ItemReader, type ItemReaders, part } from './item.ts';

const typePrefix = '#microsoft.graph.';
const objectKinds: ReadonlyMap<unknown, string> = new Map([
  ['user', 'AZUser'],
  ['group', 'AZGroup'],
  ['serviceprincipal', 'AZServicePrincipal'],
  ['device', 'AZDevice'],
]);

/** The kind of a directory object, by its `@odata.type`. */
function kindOf(type: unknown): string | undefined {
  if (typeof type !== 'string') return undefined;
  const name = type.toLowerCase();
  return name.startsWith(typePrefix) ? objectKinds.get(name.slice(typePrefix.length)) : undefined;
}

interface Relation {
  readonly edge: string;
  readonly target: string;
  /** The member with the target's id. That of the elements can be another id of the same object. */
  readonly idMember: string;
  readonly list: string;
  readonly element: string;
}

const objectModel = model('id', '@odata.type');

/** Directory objects that are related to one other object in the same way. */
function relation({ edge, target, idMember, list, element }: Relation): ItemReader {
  const outer = model<string>(idMember, list);
  const inner = model<string>(element);
  return (item, data) => {
    const members = outer(data);
    const id = item.needed(members[idMember], `data.${idMember}`);
    if (id === undefined) return;
    const end = { kind: target, id };
    let others = 0;
    for (const [entry, index] of elements(item, members[list], `data.${list}`, inner)) {
      const path = `data.${list}[${index}].${element}`;
      const object = part(item, entry[element], path, objectModel);
      const kind = kindOf(object['@odata.type']);
      if (kind === undefined) others += 1;
      else item.edge({ kind, id: item.id(object.id, `${path}.id`) }, edge, end);
    }
    // Contacts and the like are common, so they are not told of one by one.
    const what = 'that are not users, groups, service principals or devices';
    if (others > 0) item.draft.warn(`data.${list}`, `has ${others} ${what}; they are left out`);
  };
}

const owners = { edge: 'AZOwns', list: 'owners', element: 'owner' };

export const relationReaders: ItemReaders = [
  [
    'AZGroupMember',
    relation({
      edge: 'AZMemberOf',
      target: 'AZGroup',
      idMember: 'groupId',
      list: 'members',
      element: 'member',
    }),
  ],
  ['AZGroupOwner', relation({ ...owners, target: 'AZGroup', idMember: 'groupId' })],
  ['AZAppOwner', relation({ ...owners, target: 'AZApp', idMember: 'appId' })],
  [
    'AZServicePrincipalOwner',
    relation({ ...owners, target: 'AZServicePrincipal', idMember: 'servicePrincipalId' }),
  ],
];
