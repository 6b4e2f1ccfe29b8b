import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import { fontAwesomeIcons } from './font-awesome-icons.ts';
import { ChangedCustomNode, CustomNode, NewCustomNodes, toView } from './schema.ts';
import { changeCustomNode, createCustomNodes, getCustomNode, removeCustomNode } from './service.ts';
import { listCustomNodes } from './store.ts';

const tag = 'Custom nodes';
const path = Struct({ kind_name: Type.String() });
const config = { icon: { type: 'font-awesome', name: 'vault', color: '#C0A060' } };
const example = { id: 40, kindName: 'BackupVault', config };
const notFound = 'there is no custom node kind "Printer"';
const builtIn = 'the kind "User" is built in: it can\'t be changed or deleted';

export function registerCustomNodes(register: Register, deps: Deps): void {
  register({
    id: 'ListCustomNodes',
    method: 'GET',
    url: '/api/v2/custom-nodes',
    tag,
    summary: 'List how the kinds of nodes are shown, built-in ones too',
    access: { permission: 'opengraph.Read' },
    answer: Struct({ data: Type.Array(CustomNode) }),
    answerExample: { data: [example] },
    handle: async ({ db }) => ({ data: (await listCustomNodes(db)).map(toView) }),
  });

  register({
    id: 'CreateCustomNodes',
    method: 'POST',
    url: '/api/v2/custom-nodes',
    tag,
    summary: 'Give kinds of nodes an icon and a colour: all of them, or none if one is refused',
    rules: [
      '`icon.name` is one that GET /api/v2/custom-nodes/icons lists',
      'Names of kinds have 1 to 256 visible characters, do not begin with tag_, and are not icons, . or ..',
    ],
    access: { permission: 'opengraph.Write' },
    body: NewCustomNodes,
    bodyExample: { custom_types: { BackupVault: config } },
    status: 201,
    answer: Struct({ data: Type.Array(CustomNode) }),
    answerExample: { data: [example] },
    errors: {
      bad_request: 'icon name "fa-vault" has the prefix fa-: write "vault" (kind "BackupVault")',
      conflict: 'this kind exists already: "BackupVault"',
    },
    handle: async ({ db, origin, body }) => ({
      data: (await createCustomNodes(deps, db, origin, body.custom_types)).map(toView),
    }),
  });

  register({
    id: 'ListCustomNodeIcons',
    method: 'GET',
    url: '/api/v2/custom-nodes/icons',
    tag,
    summary: 'List the names of the icons that a kind can have',
    access: { permission: 'opengraph.Read' },
    answer: Struct({ data: Type.Array(Type.String()) }),
    answerExample: { data: ['vault', 'vector-square'] },
    handle: async () => ({ data: [...fontAwesomeIcons] }),
  });

  register({
    id: 'GetCustomNode',
    method: 'GET',
    url: '/api/v2/custom-nodes/{kind_name}',
    tag,
    summary: 'Get custom node',
    access: { permission: 'opengraph.Read' },
    path,
    answer: CustomNode,
    answerExample: example,
    errors: { not_found: notFound },
    handle: async ({ db, path }) => toView(await getCustomNode(db, path.kind_name)),
  });

  register({
    id: 'UpdateCustomNode',
    method: 'PUT',
    url: '/api/v2/custom-nodes/{kind_name}',
    tag,
    summary: 'Change the icon and colour of a kind',
    rules: ['`icon.name` is one that GET /api/v2/custom-nodes/icons lists'],
    access: { permission: 'opengraph.Write' },
    path,
    body: ChangedCustomNode,
    bodyExample: { config },
    answer: CustomNode,
    answerExample: example,
    errors: {
      bad_request: 'icon color must be #RGB or #RRGGBB, but is "red"',
      not_found: notFound,
      conflict: builtIn,
    },
    handle: async ({ db, origin, path, body }) =>
      toView(await changeCustomNode(deps, db, origin, path.kind_name, body.config.icon)),
  });

  register({
    id: 'DeleteCustomNode',
    method: 'DELETE',
    url: '/api/v2/custom-nodes/{kind_name}',
    tag,
    summary: 'Delete how a kind is shown; nodes of the kind stay in the graph',
    access: { permission: 'opengraph.Write' },
    path,
    answer: Struct({ data: CustomNode }),
    answerExample: { data: example },
    errors: { not_found: notFound, conflict: builtIn },
    handle: async ({ db, origin, path }) => ({
      data: toView(await removeCustomNode(deps, db, origin, path.kind_name)),
    }),
  });
}
