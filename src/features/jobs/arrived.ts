import Type, { type Static } from 'typebox';
import type { Transaction } from '../../db/client.ts';
import type { FileResult } from '../../graph/ingest/result.ts';
import { Struct } from '../../http/schemas.ts';
import { cleanText } from '../../values/text.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** What a job brought, in numbers. */
export const Arrived = Struct(
  {
    batches: count('What was sent, repeats not counted'),
    read_batches: count('Of these: read into the graph'),
    failed_batches: count('Of these: could not be read'),
    records: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'Records that were read, by kind',
    }),
    nodes: count('Nodes written: new, or stated again; of records that had not changed none are'),
    edges: count('Edges written, likewise'),
    unmatched_edges: count('Edges left out, because no node or more than one fits an end'),
    warnings: count('What was left out of records, and why'),
  },
  { title: 'Arrived' },
);
export type ArrivedCounts = Static<typeof Arrived>;

/** Kinds that are counted by name. */
const mostKinds = 200;

const none: ArrivedCounts = {
  batches: 0,
  read_batches: 0,
  failed_batches: 0,
  records: {},
  nodes: 0,
  edges: 0,
  unmatched_edges: 0,
  warnings: 0,
};

export function arrivedOf({ arrived }: { readonly arrived: string }): ArrivedCounts {
  return { ...none, ...(JSON.parse(arrived) as Partial<ArrivedCounts>) };
}

/** Something that the job's collector sent is kept. */
export function countBatch(db: Transaction, jobId: number): Promise<void> {
  return change(db, jobId, (before) => ({ ...before, batches: before.batches + 1 }));
}

/** In the transaction that keeps the results of a batch, so that each counts once. */
export function countRead(db: Transaction, jobId: number, results: readonly FileResult[]): Promise<void> {
  return change(db, jobId, (before) => results.reduce(plus, before));
}

function plus(sum: ArrivedCounts, result: FileResult): ArrivedCounts {
  const isRead = result.outcome === 'complete';
  const warnings = sum.warnings + (result.warningCount ?? result.warnings.length);
  if (!isRead) return { ...sum, failed_batches: sum.failed_batches + 1, warnings };
  const records = { ...sum.records };
  for (const [name, more] of Object.entries(result.kinds ?? {})) {
    const clean = cleanText(name);
    const kind = clean in records || Object.keys(records).length < mostKinds ? clean : 'others';
    records[kind] = (records[kind] ?? 0) + more;
  }
  return {
    ...sum,
    read_batches: sum.read_batches + 1,
    records,
    nodes: sum.nodes + result.nodes,
    edges: sum.edges + result.edges,
    unmatched_edges: sum.unmatched_edges + (result.unmatched ?? 0),
    warnings,
  };
}

async function change(
  db: Transaction,
  jobId: number,
  to: (before: ArrivedCounts) => ArrivedCounts,
): Promise<void> {
  // An update that changes nothing locks the row on both stores and reads its newest version.
  const row = await db.one<{ arrived: string }>(
    'update jobs set arrived = arrived where id = $1 returning arrived',
    [jobId],
  );
  if (row === undefined) return;
  await db.execute('update jobs set arrived = $2 where id = $1', [jobId, JSON.stringify(to(arrivedOf(row)))]);
}

/** One line for the log of a job. */
export function arrivedWords(counts: ArrivedCounts): string {
  const kinds = Object.entries(counts.records)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, records]) => `${records} ${kind}`);
  return [
    `${counts.batches} batches, ${counts.read_batches} read and ${counts.failed_batches} not readable`,
    `records: ${kinds.length === 0 ? 'none' : kinds.join(', ')}`,
    `${counts.nodes} nodes and ${counts.edges} edges written`,
    `${counts.unmatched_edges} edges matched nothing`,
    `${counts.warnings} warnings`,
  ].join('; ');
}
