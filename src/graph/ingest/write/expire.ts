import { type Db, inList, type Transaction } from '../../../db/client.ts';
import { Deadline } from '../../../deadline.ts';
import { Field } from '../convert/statements.ts';
import { writerLock } from './apply-file.ts';
import { removeOldChunks } from './chunks.ts';
import { refreshAfterMs } from './read-statements.ts';

export interface Expiry {
  readonly now: number;
  readonly baseTtlMs: number;
  readonly sessionTtlMs: number;
  /** False: nothing goes. */
  readonly reconciliation: boolean;
}

export interface Expired {
  readonly edges: number;
  readonly nodes: number;
}

const batch = 1000;
/** Nothing is read for this long, so what is older was left behind by a process that was killed. */
const abandonedAfterMs = 14 * 24 * 60 * 60 * 1000;

/** Their record is about neither end, so that there is no telling when it was last passed over. */
const foreignFields = Field.LocalGroupMembers | Field.GPOChanges | Field.EnrollmentAgentRestrictions;

/**
 * Removes edges that no source has stated for too long, and nodes that are not seen any more and have no edges left.
 * It works in small transactions, so it can be stopped and repeated at any time. Edges that no file has stated are
 * left to whoever made them. `onDelete` runs in each transaction that has deleted something.
 */
export async function expire(
  graph: Db,
  expiry: Expiry,
  onDelete: (db: Transaction) => Promise<void> = async () => undefined,
): Promise<Expired> {
  // It may have to wait for a file that is being applied.
  const unbound = graph.within(new Deadline(undefined));
  await unbound.transaction((db) => removeOldChunks(db, expiry.now - abandonedAfterMs));
  if (!expiry.reconciliation) return { edges: 0, nodes: 0 };
  const kinds = await unbound.query<{ id: number; name: string }>(
    'select id, name from edge_kinds order by id',
  );
  let edges = 0;
  for (const { id, name } of kinds) {
    const ttlMs = name === 'HasSession' ? expiry.sessionTtlMs : expiry.baseTtlMs;
    edges += await repeat(unbound, onDelete, (db) => expireEdges(db, id, expiry.now - ttlMs));
  }
  const cutoff = expiry.now - expiry.baseTtlMs;
  const nodes = await repeat(unbound, onDelete, (db) => expireNodes(db, cutoff));
  return { edges, nodes };
}

async function repeat(
  graph: Db,
  onDelete: (db: Transaction) => Promise<void>,
  step: (db: Transaction) => Promise<number>,
): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await graph.transaction(async (db) => {
      await db.lock(writerLock);
      const deleted = await step(db);
      if (deleted > 0) await onDelete(db);
      return deleted;
    });
    total += count;
    if (count < batch) return total;
  }
}

/** The record of this end was passed over as unchanged, and the edge was there when it was last applied. */
const isKeptBy = (node: string) =>
  `(${node}.record_file < 0 and ${node}.last_collected >= $2 and e.last_seen >= ${node}.stated_at)`;

async function expireEdges(db: Transaction, kindId: number, cutoff: number): Promise<number> {
  const rows = await db.query<{ id: number }>(
    `select e.id from edges e join nodes s on s.id = e.start_id join nodes t on t.id = e.end_id
     where e.kind_id = $1 and e.last_seen < $2 and e.stated_by <> 0
       and (e.last_seen < $3 or (e.stated_by & ${foreignFields}) = 0)
       and not ${isKeptBy('s')} and not ${isKeptBy('t')}
     order by e.last_seen limit ${batch}`,
    [kindId, cutoff, cutoff - refreshAfterMs],
  );
  return remove(db, 'edges', rows);
}

async function expireNodes(db: Transaction, cutoff: number): Promise<number> {
  const rows = await db.query<{ id: number }>(
    `select n.id from nodes n where n.last_seen < $1
       and not exists (select 1 from edges e where e.start_id = n.id)
       and not exists (select 1 from edges e where e.end_id = n.id)
     order by n.last_seen limit ${batch}`,
    [cutoff],
  );
  return remove(db, 'nodes', rows);
}

async function remove(
  db: Transaction,
  table: 'edges' | 'nodes',
  rows: readonly { readonly id: number }[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const list = inList(
    rows.map((row) => row.id),
    1,
  );
  return db.execute(`delete from ${table} where id in (${list.sql})`, list.params);
}
