import type { Reader } from '../../db/client.ts';
import { kindsWithZone, zoneOf } from '../../graph/node-zones.ts';
import { type GraphNode, objectKey, toNode } from '../../graph/store.ts';

/** One end of `PublishedTo`, from which the other ends are listed. */
export interface Side {
  readonly kind: 'CertTemplate' | 'EnterpriseCA';
  readonly own: 'start_id' | 'end_id';
  readonly other: 'start_id' | 'end_id';
}

export const templateSide: Side = { kind: 'CertTemplate', own: 'start_id', other: 'end_id' };
export const authoritySide: Side = { kind: 'EnterpriseCA', own: 'end_id', other: 'start_id' };

/** A template or authority as a list shows it. */
export interface ListedNode {
  readonly objectId: string;
  readonly name: string;
  readonly kinds: readonly string[];
}

export interface Published {
  readonly side: Side;
  readonly entity: GraphNode;
  readonly others: readonly { readonly node: GraphNode; readonly edge: PublishedToEdge }[];
}

export interface PublishedToEdge {
  readonly id: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** One statement that costs what the entity's own edges cost; one without any is one row. */
const fromEntity = (side: Side) => `
  from nodes t
  join kind_lists tl on tl.id = t.kind_list_id
  left join edge_kinds k on k.name = 'PublishedTo'
  left join edges e on e.${side.own} = t.id and e.kind_id = k.id
  left join nodes n on n.id = e.${side.other}
  left join kind_lists nl on nl.id = n.kind_list_id
  where t.object_id = $1`;

function hasKind(kinds: string, kind: string): boolean {
  return (JSON.parse(kinds) as string[]).includes(kind);
}

/** What is at the other end; `undefined` when there is no such template or authority. */
export async function listPublished(
  graph: Reader,
  side: Side,
  objectId: string,
): Promise<ListedNode[] | undefined> {
  type Row = {
    entity_kinds: string;
    object_id: string | null;
    name: string;
    kinds: string;
    zone: string | null;
  };
  const rows = await graph.query<Row>(
    `select tl.kinds as entity_kinds, n.object_id, n.name, nl.kinds, ${zoneOf('n')} as zone ${fromEntity(side)}`,
    [objectKey(objectId)],
  );
  const [first] = rows;
  if (first === undefined || !hasKind(first.entity_kinds, side.kind)) return undefined;
  const kindsOf = new Map<string, readonly string[]>();
  const parsed = ({ kinds, zone }: Row) => {
    const key = `${kinds} ${zone}`;
    const known = kindsOf.get(key) ?? kindsWithZone(JSON.parse(kinds), zone);
    kindsOf.set(key, known);
    return known;
  };
  return rows.flatMap((row) =>
    row.object_id === null ? [] : [{ objectId: row.object_id, name: row.name, kinds: parsed(row) }],
  );
}

interface GraphRow {
  readonly entity_id: number;
  readonly entity_object_id: string;
  readonly entity_name: string;
  readonly entity_kinds: string;
  readonly entity_properties: string;
  readonly entity_zone: string | null;
  readonly edge_id: number | null;
  readonly edge_properties: string;
  readonly id: number;
  readonly object_id: string;
  readonly name: string;
  readonly kinds: string;
  readonly properties: string;
  readonly zone: string | null;
}

/** The same as a graph, with all properties. */
export async function findPublished(
  graph: Reader,
  side: Side,
  objectId: string,
): Promise<Published | undefined> {
  const rows = await graph.query<GraphRow>(
    `select t.id as entity_id, t.object_id as entity_object_id, t.name as entity_name,
            tl.kinds as entity_kinds, t.properties as entity_properties, ${zoneOf('t')} as entity_zone,
            e.id as edge_id, e.properties as edge_properties,
            n.id, n.object_id, n.name, nl.kinds, n.properties, ${zoneOf('n')} as zone ${fromEntity(side)}`,
    [objectKey(objectId)],
  );
  const [first] = rows;
  if (first === undefined || !hasKind(first.entity_kinds, side.kind)) return undefined;
  const entity = toNode({
    id: first.entity_id,
    object_id: first.entity_object_id,
    name: first.entity_name,
    kinds: first.entity_kinds,
    properties: first.entity_properties,
    zone: first.entity_zone,
  });
  const published = rows.filter((row): row is GraphRow & { edge_id: number } => row.edge_id !== null);
  return {
    side,
    entity,
    others: published.map((row) => ({
      node: toNode(row),
      edge: { id: row.edge_id, properties: JSON.parse(row.edge_properties) },
    })),
  };
}

export interface Entity {
  readonly node: GraphNode;
  readonly lastSeen: number;
  /** How many templates or authorities are at the other end of `PublishedTo`. */
  readonly published: number;
  /** How many principals have a right on it. */
  readonly controllers: number;
}

/** One template or authority; `undefined` when there is none with that id. */
export async function findEntity(graph: Reader, side: Side, objectId: string): Promise<Entity | undefined> {
  const row = await graph.one<{
    id: number;
    object_id: string;
    name: string;
    kinds: string;
    properties: string;
    zone: string | null;
    last_seen: number;
    published: number;
    controllers: number;
  }>(
    // Properties are what JSON.stringify makes of a flat object, so that this text can only be the member itself.
    `select n.id, n.object_id, n.name, l.kinds, n.properties, ${zoneOf('n')} as zone, n.last_seen,
            (select cast(count(*) as bigint) from edges e join edge_kinds k on k.id = e.kind_id
             where e.${side.own} = n.id and k.name = 'PublishedTo') as published,
            (select cast(count(distinct e.start_id) as bigint) from edges e
             where e.end_id = n.id and replace(e.properties, '"isacl":true', '') <> e.properties) as controllers
     from nodes n join kind_lists l on l.id = n.kind_list_id where n.object_id = $1`,
    [objectKey(objectId)],
  );
  if (row === undefined || !hasKind(row.kinds, side.kind)) return undefined;
  const { last_seen: lastSeen, published, controllers } = row;
  return { node: toNode(row), lastSeen, published, controllers };
}
