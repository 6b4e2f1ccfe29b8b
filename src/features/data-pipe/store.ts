import type { Origin } from '../../caller.ts';
import type { Look, Reader, Transaction } from '../../db/client.ts';

/** What somebody asked to be deleted. */
export interface Wish {
  readonly graph: boolean;
  readonly sourceKinds: readonly string[];
  readonly fileHistory: boolean;
  readonly posture: boolean;
}

export interface Deleted {
  readonly nodes: number;
  readonly edges: number;
  readonly files: number;
  readonly uploads: number;
  readonly analysisRuns: number;
}

export interface Clear {
  readonly id: number;
  readonly askedAt: number;
  readonly wish: Wish;
  readonly origin: Origin;
  readonly deleted: Deleted;
}

export async function insertClear(
  graph: Transaction,
  wish: Wish,
  origin: Origin,
  now: number,
): Promise<number> {
  const nothing: Deleted = { nodes: 0, edges: 0, files: 0, uploads: 0, analysisRuns: 0 };
  const row = await graph.one<{ id: number }>(
    'insert into clears (asked_at, wish, origin, deleted) values ($1, $2, $3, $4) returning id',
    [now, JSON.stringify(wish), JSON.stringify(origin), JSON.stringify(nothing)],
  );
  return row?.id ?? 0;
}

export const clearLook: Look = {
  store: 'graph',
  sql: 'select count(*) from (select id from clears where finished_at is null limit 1) open',
  due: 'while',
};

/** The oldest that is not finished. */
export async function findOpenClear(graph: Reader): Promise<Clear | undefined> {
  const row = await graph.one<{
    id: number;
    asked_at: number;
    wish: string;
    origin: string;
    deleted: string;
  }>('select id, asked_at, wish, origin, deleted from clears where finished_at is null order by id limit 1');
  if (row === undefined) return undefined;
  return {
    id: row.id,
    askedAt: row.asked_at,
    wish: JSON.parse(row.wish),
    origin: JSON.parse(row.origin),
    deleted: JSON.parse(row.deleted),
  };
}

export async function addDeleted(graph: Transaction, id: number, more: Partial<Deleted>): Promise<void> {
  const row = await graph.one<{ deleted: string }>('select deleted from clears where id = $1', [id]);
  const before = JSON.parse(row?.deleted ?? '{}') as Record<string, number>;
  const after = { ...before };
  for (const [name, count] of Object.entries(more)) after[name] = (before[name] ?? 0) + count;
  await graph.execute('update clears set deleted = $2 where id = $1', [id, JSON.stringify(after)]);
}

export async function finishClear(graph: Transaction, id: number, now: number): Promise<void> {
  await graph.execute('update clears set finished_at = $2 where id = $1', [id, now]);
}

export async function lastCleared(graph: Reader): Promise<number | null> {
  const row = await graph.one<{ at: number | null }>('select max(finished_at) as at from clears');
  return row?.at ?? null;
}
