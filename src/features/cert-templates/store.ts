import type { Reader } from '../../db/client.ts';
import { type GraphNode, objectKey, toNode } from '../../graph/store.ts';

/** A certificate authority as a list shows it. */
export interface ListedNode {
  readonly objectId: string;
  readonly name: string;
  readonly kinds: readonly string[];
}

export interface PublishedTemplate {
  readonly template: GraphNode;
  readonly authorities: readonly { readonly node: GraphNode; readonly edge: PublishedToEdge }[];
}

export interface PublishedToEdge {
  readonly id: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** One statement that costs what the template's own edges cost; a template published nowhere is one row. */
const fromTemplate = `
  from nodes t
  join kind_lists tl on tl.id = t.kind_list_id
  left join edge_kinds k on k.name = 'PublishedTo'
  left join edges e on e.start_id = t.id and e.kind_id = k.id
  left join nodes n on n.id = e.end_id
  left join kind_lists nl on nl.id = n.kind_list_id
  where t.object_id = $1`;

function isTemplate(kinds: string): boolean {
  return (JSON.parse(kinds) as string[]).includes('CertTemplate');
}

/** What a certificate template is published to; `undefined` when there is no such template. */
export async function listPublishedTo(graph: Reader, objectId: string): Promise<ListedNode[] | undefined> {
  type Row = { template_kinds: string; object_id: string | null; name: string; kinds: string };
  const rows = await graph.query<Row>(
    `select tl.kinds as template_kinds, n.object_id, n.name, nl.kinds ${fromTemplate}`,
    [objectKey(objectId)],
  );
  const [first] = rows;
  if (first === undefined || !isTemplate(first.template_kinds)) return undefined;
  const kindsOf = new Map<string, string[]>();
  const parsed = (kinds: string) => {
    const known = kindsOf.get(kinds) ?? (JSON.parse(kinds) as string[]);
    kindsOf.set(kinds, known);
    return known;
  };
  return rows.flatMap((row) =>
    row.object_id === null ? [] : [{ objectId: row.object_id, name: row.name, kinds: parsed(row.kinds) }],
  );
}

interface GraphRow {
  readonly template_id: number;
  readonly template_object_id: string;
  readonly template_name: string;
  readonly template_kinds: string;
  readonly template_properties: string;
  readonly edge_id: number | null;
  readonly edge_properties: string;
  readonly id: number;
  readonly object_id: string;
  readonly name: string;
  readonly kinds: string;
  readonly properties: string;
}

/** The same as a graph, with all properties. */
export async function findPublishedTemplate(
  graph: Reader,
  objectId: string,
): Promise<PublishedTemplate | undefined> {
  const rows = await graph.query<GraphRow>(
    `select t.id as template_id, t.object_id as template_object_id, t.name as template_name,
            tl.kinds as template_kinds, t.properties as template_properties,
            e.id as edge_id, e.properties as edge_properties,
            n.id, n.object_id, n.name, nl.kinds, n.properties ${fromTemplate}`,
    [objectKey(objectId)],
  );
  const [first] = rows;
  if (first === undefined || !isTemplate(first.template_kinds)) return undefined;
  const template = toNode({
    id: first.template_id,
    object_id: first.template_object_id,
    name: first.template_name,
    kinds: first.template_kinds,
    properties: first.template_properties,
  });
  const published = rows.filter((row): row is GraphRow & { edge_id: number } => row.edge_id !== null);
  return {
    template,
    authorities: published.map((row) => ({
      node: toNode(row),
      edge: { id: row.edge_id, properties: JSON.parse(row.edge_properties) },
    })),
  };
}
