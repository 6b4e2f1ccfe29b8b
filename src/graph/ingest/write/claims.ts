import type { Transaction } from '../../../db/client.ts';
import { loadNodes } from './node-rows.ts';
import { MustApplyAll, type StagedRecord, type Visit } from './staged.ts';

const shared = 0;

/**
 * A computer's record states the members of its local groups. On domain controllers these are the groups of the
 * domain, so that several records speak about one group, and each takes back what the others say if it comes in
 * another file. Such a record is applied every time, changed or not; this finds them.
 */
export async function claimForeign(
  db: Transaction,
  records: readonly StagedRecord[],
  visit: Visit,
  idOf: (objectId: string) => number,
): Promise<void> {
  const claims = records.flatMap(({ own, hash, wholes }) =>
    own === undefined || hash === undefined
      ? []
      : wholes
          .filter(({ objectId }) => objectId !== own && !objectId.startsWith(`${own}-`))
          .map(({ objectId }) => ({ objectId, owner: idOf(own) })),
  );
  if (claims.length === 0) return;
  const rows = await loadNodes(db, [...new Set(claims.map((claim) => claim.objectId))]);
  const owners = new Map([...rows].map(([objectId, row]) => [objectId, row.claimed_by]));
  for (const { objectId, owner } of claims) {
    const before = owners.get(objectId);
    if (before === undefined || before === owner) continue;
    const after = before === null ? owner : shared;
    if (after === shared) await applyAlways(db, [owner, before ?? owner], visit);
    if (after === before) continue;
    owners.set(objectId, after);
    await db.execute('update nodes set claimed_by = $1 where object_id = $2', [after, objectId]);
  }
}

async function applyAlways(db: Transaction, ids: readonly number[], { file }: Visit): Promise<void> {
  for (const id of new Set(ids)) {
    const row = await db.one<{ record_file: number }>('select record_file from nodes where id = $1', [id]);
    if (row?.record_file === -file) throw new MustApplyAll();
    await db.execute('update nodes set record_hash = null where id = $1', [id]);
  }
}
