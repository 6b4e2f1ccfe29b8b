import type { Db } from '../../src/db/client.ts';
import { migrateStores } from '../../src/db/open.ts';
import {
  defaultIngestLimits,
  type FileSource,
  type IngestOptions,
  ingestFile,
} from '../../src/graph/ingest/ingest-file.ts';
import type { RandomAccess } from '../../src/graph/ingest/reader/random-access.ts';
import type { FileResult } from '../../src/graph/ingest/result.ts';
import { openEmptyStores, type TestStores } from '../server/stores.ts';

/** Collected with everything that a whole statement depends on. */
export const everything = 1 | 64 | 128;

export async function openGraph(): Promise<TestStores> {
  const stores = await openEmptyStores();
  await migrateStores(stores, stores.settings, 1);
  return stores;
}

export interface CollectorFile {
  readonly type: string;
  readonly data: readonly unknown[];
  readonly methods?: number;
}

export function collectorFile({ type, data, methods = everything }: CollectorFile): string {
  return JSON.stringify({ data, meta: { type, methods, version: 6, count: data.length } });
}

export function sourceOf(content: string | Uint8Array, name = 'file.json'): FileSource {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const randomAccess: RandomAccess = {
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
  };
  return {
    name,
    size: bytes.length,
    open: async function* () {
      yield bytes;
    },
    randomAccess,
  };
}

let files = 0;

/** Ingests what a file contains, as a file that was never there before. */
export function ingest(
  graph: Db,
  content: CollectorFile | object | string | Uint8Array,
  options: Partial<IngestOptions> = {},
): Promise<FileResult[]> {
  files += 1;
  const body = typeof content === 'string' || content instanceof Uint8Array ? content : bodyOf(content);
  return ingestFile(graph, sourceOf(body), {
    fileId: `file ${files}`,
    seenAt: 1000 + files,
    limits: defaultIngestLimits,
    ...options,
  });
}

function bodyOf(content: object): string {
  return 'type' in content ? collectorFile(content as CollectorFile) : JSON.stringify(content);
}

export interface WholeGraph {
  /** By object id: kinds in order and properties. */
  readonly nodes: Readonly<Record<string, { kinds: string[]; properties: Record<string, unknown> }>>;
  /** By `start kind end`. */
  readonly edges: Readonly<Record<string, Record<string, unknown>>>;
}

/** All of it, without times. */
export async function readGraph(graph: Db): Promise<WholeGraph> {
  const nodes = await graph.query<{ object_id: string; kinds: string; properties: string }>(
    `select n.object_id, l.kinds, n.properties from nodes n join kind_lists l on l.id = n.kind_list_id
     order by n.object_id`,
  );
  const edges = await graph.query<{ start_id: string; kind: string; end_id: string; properties: string }>(
    `select s.object_id as start_id, k.name as kind, t.object_id as end_id, e.properties
     from edges e join nodes s on s.id = e.start_id join nodes t on t.id = e.end_id
     join edge_kinds k on k.id = e.kind_id order by s.object_id, k.name, t.object_id`,
  );
  return {
    nodes: Object.fromEntries(
      nodes.map((row) => [
        row.object_id,
        { kinds: JSON.parse(row.kinds), properties: JSON.parse(row.properties) },
      ]),
    ),
    edges: Object.fromEntries(
      edges.map((row) => [`${row.start_id} ${row.kind} ${row.end_id}`, JSON.parse(row.properties)]),
    ),
  };
}

export async function emptyGraph(graph: Db): Promise<void> {
  await graph.transaction(async (db) => {
    for (const table of ['edge_throughs', 'edges', 'nodes', 'applied_files', 'staged_chunks'])
      await db.execute(`delete from ${table}`);
  });
}
