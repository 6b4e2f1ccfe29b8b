import Type, { type Static } from 'typebox';
import { type Icon, labelOf } from '../../graph/kinds.ts';
import { tierZeroKind } from '../../graph/node-zones.ts';
import type { GraphNode } from '../../graph/store.ts';
import { dateTime, Struct } from '../../http/schemas.ts';
import { compareCodePoints } from '../../values/text.ts';
import type { Entity, ListedNode, Published } from './store.ts';

export const NodeListEntry = Struct({
  objectID: Type.String(),
  name: Type.String(),
  label: Type.String(),
  kinds: Type.Array(Type.String()),
});

export const NodeList = Struct({
  count: Type.Integer({ minimum: 0 }),
  skip: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 0 }),
  data: Type.Array(NodeListEntry),
});

/** The answer to `type=graph`: nodes by their number, relations by `rel_` and theirs (gap 4.4). */
export const NodeGraph = Type.Object(
  {},
  {
    additionalProperties: Type.Object({}, { additionalProperties: true }),
    description: 'A graph, for type=graph',
  },
);

export function toListEntries(
  nodes: readonly ListedNode[],
  icons: ReadonlyMap<string, Icon>,
): Static<typeof NodeListEntry>[] {
  // Nodes of one kind share one array of kinds, so what follows from it is worked out once.
  const shown = new Map<readonly string[], { label: string; kinds: string[] }>();
  const show = (kinds: readonly string[]) => {
    const known = shown.get(kinds) ?? {
      label: labelOf(kinds, (kind) => icons.has(kind)),
      kinds: [...kinds].sort(compareCodePoints),
    };
    shown.set(kinds, known);
    return known;
  };
  return nodes.map(({ objectId, name, kinds }) => ({ objectID: objectId, name, ...show(kinds) }));
}

/** Nothing at all when there is no relation: the template or authority is not shown alone. */
export function toGraphView(
  { side, entity, others }: Published,
  icons: ReadonlyMap<string, Icon>,
): Static<typeof NodeGraph> {
  if (others.length === 0) return {};
  const view: Record<string, object> = { [entity.id]: graphNode(entity, icons) };
  for (const { node, edge } of others) {
    const [start, end] = side.own === 'start_id' ? [entity, node] : [node, entity];
    view[node.id] = graphNode(node, icons);
    view[`rel_${edge.id}`] = {
      id: edge.id,
      color: '3a5464',
      data: edge.properties,
      label: { text: 'PublishedTo' },
      end2: { arrow: true },
      id1: String(start.id),
      id2: String(end.id),
    };
  }
  return view;
}

const Count = Type.Integer({ minimum: 0 });
const entityMembers = {
  kinds: Type.Array(Type.String()),
  props: Type.Object({}, { additionalProperties: true, description: 'Everything that is known of it' }),
};
/** Left out with `counts=false`. */
const controllers = Type.Optional(Count);
export const TemplateEntity = Struct({
  data: Struct({ ...entityMembers, controllers, published_to_cas: Type.Optional(Count) }),
});
export const AuthorityEntity = Struct({
  data: Struct({ ...entityMembers, controllers, published_templates: Type.Optional(Count) }),
});

export function toEntityView({ node, lastSeen }: Entity) {
  const { objectId, name, properties } = node;
  return {
    kinds: [...node.kinds].sort(compareCodePoints),
    props: { name, lastseen: dateTime(lastSeen), ...properties, objectid: objectId },
  };
}

function graphNode(node: GraphNode, icons: ReadonlyMap<string, Icon>): object {
  const label = labelOf(node.kinds, (kind) => icons.has(kind));
  const icon = icons.get(label);
  const isTierZero = node.kinds.includes(tierZeroKind);
  return {
    color: icon?.color ?? '#FFFFFF',
    border: { color: 'black' },
    size: 1,
    fontIcon: { text: `fas fa-${icon?.name ?? 'question'}` },
    label: { text: nameOf(node), backgroundColor: 'rgba(255,255,255,0.9)', fontSize: 14, center: true },
    data: {
      ...node.properties,
      nodetype: label,
      kinds: [...node.kinds].sort(compareCodePoints),
      isTierZero,
      ...(isTierZero ? { level: 0 } : {}),
    },
  };
}

function nameOf(node: GraphNode): string {
  const { displayname } = node.properties;
  return node.name || (typeof displayname === 'string' && displayname) || node.objectId || 'NO NAME';
}
