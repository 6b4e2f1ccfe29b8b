import type { Origin } from '../../src/caller.ts';
import type { Deps } from '../../src/deps.ts';
import { beginChain, type Link, recordAudit, verifyLog } from '../../src/features/audit/index.ts';

/** Somebody whose records are easy to recognise. */
export const zoe: Origin = {
  actor: { kind: 'user', id: 'u-1', name: 'zoë' },
  requestId: 'r-1',
  address: '192.0.2.1',
};

/** As somebody with access to the store would do it. */
export function runSql(deps: Deps, text: string, params: (string | number | null)[] = []): Promise<number> {
  return deps.db.transaction((db) => db.execute(text, params));
}

/** As it is in a new store. */
export async function emptyLog(deps: Deps): Promise<void> {
  await deps.db.transaction(async (db) => {
    await db.execute('delete from audit_log');
    await db.execute('delete from audit_marks');
    await db.execute('delete from audit_removals');
    await beginChain(db, deps.keys);
  });
}

export async function writeRecords(deps: Deps, count: number): Promise<void> {
  await deps.db.transaction(async (db) => {
    for (let n = 0; n < count; n += 1)
      await recordAudit(db, zoe, deps.clock(), { action: 'Test', fields: { n } });
  });
}

/** The linked records, in the chain's order. */
export function readChain(deps: Deps): Promise<{ id: number; position: number; mac: string }[]> {
  return deps.db.query(
    'select id, position, mac from audit_log where position is not null order by position, id',
  );
}

/** What a verification finds: kind, position and, where there is a record, its id. */
export async function findingsOf(deps: Deps, head?: Link): Promise<(string | number)[][]> {
  const { findings } = await verifyLog(deps, { head });
  return findings.map(({ kind, position, id }) =>
    id === undefined ? [kind, position] : [kind, position, id],
  );
}
