import type { Db, Reader } from '../db/client.ts';
import { Deadline } from '../deadline.ts';
import { formatRfc3339 } from '../values/time.ts';
import { findPublished } from './analysis/store.ts';
import { kindsWithZone, propertiesInZone, zoneOf } from './node-zones.ts';

export interface ExportProgress {
  readonly nodes: number;
  readonly edges: number;
}

const nodesAtOnce = 500;
const edgesAtOnce = 2000;
/** OpenGraph takes one to three; `all_kinds` says what they really are. */
const mostKinds = 3;
const noKind = 'Unknown';

/**
 * The whole graph as an OpenGraph file, in pieces of text. Everything is of one moment, and no more than one page of
 * it is in memory.
 */
export async function exportOpenGraph(
  graph: Db,
  write: (text: string) => Promise<void>,
  onProgress: (progress: ExportProgress) => void = () => {},
): Promise<ExportProgress> {
  // It takes as long as it takes.
  return graph.within(new Deadline(undefined)).snapshot(async (graph) => {
    let [nodes, edges] = [0, 0];
    await write('{"graph":{"nodes":[');
    for await (const page of pages<NodeRow>(graph, nodesAtOnce, nodePage)) {
      await write(`${nodes === 0 ? '\n' : ',\n'}${page.map(nodeText).join(',\n')}`);
      nodes += page.length;
      onProgress({ nodes, edges });
    }
    await write('\n],"edges":[');
    const writeEdges = async (page: readonly EdgeRow[]) => {
      await write(`${edges === 0 ? '\n' : ',\n'}${page.map(edgeText).join(',\n')}`);
      edges += page.length;
      onProgress({ nodes, edges });
    };
    for await (const page of pages<EdgeRow & { id: number }>(graph, edgesAtOnce, edgePage))
      await writeEdges(page);
    for await (const page of derivedPages(graph)) await writeEdges(page);
    await write('\n]}}\n');
    return { nodes, edges };
  });
}

/** Page after page, by the number of the last row. */
async function* pages<Row extends { readonly id: number }>(
  graph: Reader,
  atOnce: number,
  sql: string,
): AsyncGenerator<Row[]> {
  let last = 0;
  for (;;) {
    const page = await graph.query<Row>(sql, [last, atOnce]);
    const end = page.at(-1);
    if (end === undefined) return;
    yield page;
    last = end.id;
  }
}

interface NodeRow {
  readonly id: number;
  readonly object_id: string;
  readonly kinds: string;
  readonly properties: string;
  readonly zone: string | null;
  readonly last_seen: number;
  readonly last_collected: number | null;
}

const nodePage = `
  select n.id, n.object_id, l.kinds, n.properties, ${zoneOf('n')} as zone, n.last_seen, n.last_collected
  from nodes n join kind_lists l on l.id = n.kind_list_id where n.id > $1 order by n.id limit $2`;

function nodeText(row: NodeRow): string {
  // Zones are this installation's own judgement, and their kinds reserved: whoever ingests this judges again.
  const kinds = (JSON.parse(row.kinds) as string[]).filter((kind) => !/^tag/i.test(kind));
  const { objectid: _said, ...stored } = propertiesInZone(
    JSON.parse(row.properties),
    kindsWithZone(kinds, row.zone),
  );
  return JSON.stringify({
    id: row.object_id,
    kinds: kinds.length === 0 ? [noKind] : kinds.slice(0, mostKinds),
    all_kinds: kinds,
    ...(row.zone === null ? {} : { zone: row.zone }),
    properties: {
      ...stored,
      lastseen: formatRfc3339(row.last_seen),
      ...(row.last_collected === null ? {} : { lastcollected: formatRfc3339(row.last_collected) }),
    },
  });
}

interface EdgeRow {
  readonly kind: string;
  readonly start: string;
  readonly end: string;
  /** Null where it has none, as most that analysis derives. */
  readonly properties: string | null;
  readonly last_seen: number | null;
}

const edgePage = `
  select e.id, k.name as kind, s.object_id as "start", t.object_id as "end", e.properties, e.last_seen
  from edges e join edge_kinds k on k.id = e.kind_id join nodes s on s.id = e.start_id
  join nodes t on t.id = e.end_id where e.id > $1 order by e.id limit $2`;

function edgeText(row: EdgeRow): string {
  return JSON.stringify({
    kind: row.kind,
    start: { match_by: 'id', value: row.start },
    end: { match_by: 'id', value: row.end },
    properties: {
      ...JSON.parse(row.properties ?? '{}'),
      ...(row.last_seen === null ? {} : { lastseen: formatRfc3339(row.last_seen) }),
    },
  });
}

interface DerivedRow extends EdgeRow {
  readonly start_id: number;
  readonly kind_id: number;
  readonly end_id: number;
}

/** What an edge is derived from one to one has its properties. */
const derivedPage = `
  select d.start_id, d.kind_id, d.end_id, k.name as kind, s.object_id as "start", t.object_id as "end",
    r.properties, r.last_seen
  from derived_edges d join edge_kinds k on k.id = d.kind_id join nodes s on s.id = d.start_id
  join nodes t on t.id = d.end_id
  left join edge_kinds w on w.name = k.name || 'Raw'
  left join edges r on r.start_id = d.start_id and r.kind_id = w.id and r.end_id = d.end_id
  where d.analysis_id = $1 and (d.start_id, d.kind_id, d.end_id) > ($2, $3, $4)
    and not exists (select 1 from edges e
      where e.start_id = d.start_id and e.kind_id = d.kind_id and e.end_id = d.end_id)
  order by d.start_id, d.kind_id, d.end_id limit $5`;

/** A right that is derived from a raw one says where it is inherited from, even if from nowhere. */
function withHash(row: DerivedRow): DerivedRow {
  if (row.properties === null) return row;
  return { ...row, properties: JSON.stringify({ inheritancehash: '', ...JSON.parse(row.properties) }) };
}

/** What the published analysis derived and nobody has stated. */
async function* derivedPages(graph: Reader): AsyncGenerator<DerivedRow[]> {
  const published = await findPublished(graph);
  if (published === undefined) return;
  let last: readonly number[] = [0, 0, 0];
  for (;;) {
    const page = await graph.query<DerivedRow>(derivedPage, [published.id, ...last, edgesAtOnce]);
    const end = page.at(-1);
    if (end === undefined) return;
    yield page.map(withHash);
    last = [end.start_id, end.kind_id, end.end_id];
  }
}
