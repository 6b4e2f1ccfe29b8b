import Type, { type Static } from 'typebox';
import { AppError } from '../../errors.ts';
import type { Register } from '../../http/operation.ts';
import { quoted } from '../../http/parameters.ts';
import { Struct } from '../../http/schemas.ts';
import { type CustomNodeRow, findCustomNode } from './store.ts';

const CustomNode = Struct({
  id: Type.Integer(),
  kindName: Type.String(),
  config: Struct({
    icon: Struct({
      type: Type.String(),
      name: Type.String(),
      color: Type.String({ description: 'A colour code such as #17E625' }),
    }),
  }),
});

function toView(row: CustomNodeRow): Static<typeof CustomNode> {
  return {
    id: row.id,
    kindName: row.kind_name,
    config: { icon: { type: row.icon_type, name: row.icon_name, color: row.icon_color } },
  };
}

export function registerCustomNodes(register: Register): void {
  register({
    id: 'GetCustomNode',
    method: 'GET',
    url: '/api/v2/custom-nodes/{kind_name}',
    tag: 'Custom nodes',
    summary: 'Get custom node',
    access: { permission: 'opengraph.Read' },
    path: Struct({ kind_name: Type.String() }),
    answer: CustomNode,
    answerExample: {
      id: 40,
      kindName: 'BackupVault',
      config: { icon: { type: 'font-awesome', name: 'vault', color: '#C0A060' } },
    },
    errors: { not_found: 'there is no custom node kind "Printer"' },
    handle: async ({ db, path }) => {
      const row = await findCustomNode(db, path.kind_name);
      if (row !== undefined) return toView(row);
      throw new AppError('not_found', `there is no custom node kind ${quoted(path.kind_name)}`, {
        context: 'kind_name',
      });
    },
  });
}
