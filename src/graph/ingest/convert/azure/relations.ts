import { plainId } from '../draft.ts';
import { isObject, model } from '../members.ts';
import { elements, type ItemReader, type ItemReaders } from './item.ts';

const objectKinds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    user: 'AZUser',
    group: 'AZGroup',
    servicePrincipal: 'AZServicePrincipal',
    device: 'AZDevice',
  }).flatMap(([type, kind]) => {
    const name = `#microsoft.graph.${type}`;
    return [
      [name, kind],
      [name.toLowerCase(), kind],
    ];
  }),
);

/** The kind of a directory object, by its `@odata.type`. */
function kindOf(type: unknown): string | undefined {
  if (typeof type !== 'string') return undefined;
  return objectKinds.get(type) ?? objectKinds.get(type.toLowerCase());
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
const noObject = objectModel({});

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
      const object = entry[element];
      const { id: plain, '@odata.type': type } = isObject(object) ? objectModel(object) : noObject;
      const kind = kindOf(type);
      if (kind === undefined) {
        others += 1;
        continue;
      }
      // There are millions of them, so a path is spelled out only for one that has something wrong with it.
      const memberId = plainId(plain) ?? item.id(plain, `data.${list}[${index}].${element}.id`);
      item.edge({ kind, id: memberId }, edge, end);
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
  ['AZDeviceOwner', relation({ ...owners, target: 'AZDevice', idMember: 'deviceId' })],
  ['AZAppOwner', relation({ ...owners, target: 'AZApp', idMember: 'appId' })],
  [
    'AZServicePrincipalOwner',
    relation({ ...owners, target: 'AZServicePrincipal', idMember: 'servicePrincipalId' }),
  ],
];
