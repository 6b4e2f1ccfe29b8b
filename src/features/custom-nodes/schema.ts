import Type, { type Static } from 'typebox';
import { published, Struct } from '../../http/schemas.ts';
import type { CustomNodeRow } from './store.ts';

export const CustomNode = Struct(
  {
    id: Type.Integer(),
    kindName: Type.String(),
    config: Struct({
      icon: Struct({
        type: Type.String(),
        name: Type.String(),
        color: Type.String({ description: 'A colour code such as #17E625' }),
      }),
    }),
  },
  { title: 'CustomNode' },
);

export function toView(row: CustomNodeRow): Static<typeof CustomNode> {
  return {
    id: row.id,
    kindName: row.kind_name,
    config: { icon: { type: row.icon_type, name: row.icon_name, color: row.icon_color } },
  };
}

const GivenConfig = Struct(
  {
    icon: Struct({
      type: Type.String(published({ const: 'font-awesome' })),
      name: Type.String({
        description:
          'A name of the free solid set without the fa- prefix, as GET /api/v2/custom-nodes/icons lists them',
      }),
      color: Type.Optional(
        Type.String({
          description: '#RGB or #RRGGBB',
          default: '#FFFFFF',
          ...published({ pattern: '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}))?$' }),
        }),
      ),
    }),
  },
  { title: 'CustomNodeConfig' },
);

export type GivenIcon = Static<typeof GivenConfig>['icon'];

/** Not a `Record`: TypeBox would let members with a line break in their name through unchecked. */
const GivenKinds = Type.Unsafe<Record<string, Static<typeof GivenConfig>>>(
  Type.Object({}, { additionalProperties: GivenConfig }),
);

/** Some clients send several kinds as an array of objects with one kind each. */
export const NewCustomNodes = Struct({
  custom_types: Type.Union([GivenKinds, Type.Array(GivenKinds)], {
    description: 'Kinds by their names, or an array of such objects; 1 to 500 kinds',
  }),
});

export const ChangedCustomNode = Struct({ config: GivenConfig });
