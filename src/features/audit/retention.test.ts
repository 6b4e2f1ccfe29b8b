import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyLog, runSql } from '../../../test/server/audit-log.ts';
import { auditRows, makeToken, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { capturedLog } from '../../../test/server/pipeline.ts';
import { commandLine } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { sessionTasks } from '../auth/index.ts';
import { linkRecords, readHead } from './link.ts';
import { recordAudit } from './record.ts';
import { deleteOldRecords } from './retention.ts';
import { verifyLog } from './verify.ts';

const day = 86_400_000;
let server: TestServer;
let deps: Deps;
before(async () => {
  server = await startTestServer();
  deps = server.deps;
});
after(() => server.stop());

const sql = (text: string, params: (string | number | null)[] = []) => runSql(deps, text, params);
beforeEach(() => emptyLog(deps));

/** Linked records of these ages in days, oldest first. */
async function linked(...ages: number[]): Promise<void> {
  await deps.db.transaction(async (db) => {
    for (const age of ages)
      await recordAudit(db, commandLine, deps.clock() - age * day, { action: 'Test', fields: { age } });
  });
  await linkRecords(deps);
}

const keep = (auditRetentionDays: number, by: Deps = deps): Deps => ({
  ...by,
  settings: { ...by.settings, auditRetentionDays },
});
const positions = async () =>
  (
    await deps.db.query<{ position: number }>(
      'select position from audit_log where position is not null order by position',
    )
  ).map(({ position }) => position);
const kinds = async () => (await verifyLog(deps)).findings.map(({ kind, position }) => `${kind} ${position}`);

describe('the retention of audit records', () => {
  it('deletes from the front what is old, and nothing behind a younger record', async () => {
    await linked(500, 400, 380, 2, 390, 1);
    const noted = await readHead(deps.db, deps.keys);
    await deleteOldRecords(deps);
    assert.deepEqual(await positions(), [4, 5, 6]);
    const [record] = await auditRows(deps);
    assert.equal(record?.action, 'DeleteOldAuditRecords');
    assert.equal(record?.actor_name, 'kennel');
    assert.deepEqual(record?.fields, {
      positions: { from: 1, to: 3 },
      count: 3,
      retention_days: 365,
      unproven_count: 0,
      problem_count: 0,
      problems: [],
    });
    await linkRecords(deps);
    const result = await verifyLog(deps, { head: noted });
    assert.deepEqual([result.findings, result.deletedUpTo, result.checked], [[], 3, 4]);
    await deleteOldRecords(deps);
    assert.deepEqual(await positions(), [4, 5, 6, 7]);
  });

  it('takes many steps, and goes on after all is gone', async () => {
    await linked(...Array<number>(1200).fill(400));
    const noted = await readHead(deps.db, deps.keys);
    await deleteOldRecords(deps);
    assert.deepEqual(await positions(), []);
    const empty = await verifyLog(deps, { head: noted });
    assert.deepEqual([empty.findings, empty.deletedUpTo, empty.checked], [[], 1200, 0]);
    await linkRecords(deps);
    assert.deepEqual(await positions(), [1201, 1202, 1203]);
    const later = await verifyLog(deps, { head: { position: 7, mac: '0'.repeat(64) } });
    assert.deepEqual(later.findings, []);
    assert.deepEqual(later.notes, ['the given head, position 7, is older than what is kept']);
    const wrong = await verifyLog(deps, { head: { position: 1200, mac: '0'.repeat(64) } });
    assert.deepEqual(
      wrong.findings.map(({ kind }) => kind),
      ['other_head'],
    );
  });

  it('keeps everything with 0, and what is not linked yet', async () => {
    await linked(5000);
    await deleteOldRecords(keep(0));
    assert.deepEqual(await positions(), [1]);
    await deps.db.transaction((db) => recordAudit(db, commandLine, 1, { action: 'Unlinked', fields: {} }));
    await deleteOldRecords(keep(1));
    assert.ok((await auditRows(deps)).some(({ action }) => action === 'Unlinked'));
  });

  it('leaves an anchor that nobody else can make', async () => {
    await linked(400, 400, 3, 2, 1);
    await deleteOldRecords(deps);
    assert.deepEqual(await kinds(), []);
    const anchor = await deps.db.one<{ position: number; mac: string; seal: string }>(
      "select position, mac, seal from audit_marks where name = 'anchor'",
    );
    const third = await deps.db.one<{ mac: string }>('select mac from audit_log where position = 3');
    // A cut from the front needs an anchor further on.
    await sql('delete from audit_log where position = 3');
    assert.deepEqual(await kinds(), ['missing 3', 'unchecked 4']);
    await sql("update audit_marks set position = 3, mac = $1 where name = 'anchor'", [third?.mac ?? '']);
    assert.deepEqual(await kinds(), ['forged_mark 3', 'missing 1', 'unchecked 4']);
    await sql("delete from audit_marks where name = 'anchor'");
    assert.deepEqual(await kinds(), ['missing 1', 'unchecked 4']);
    // The seal of the head is not one of an anchor.
    await sql("insert into audit_marks select 'anchor', position, mac, sealed_with, seal from audit_marks");
    assert.ok((await kinds()).includes('forged_mark 5'));
    assert.equal(anchor?.position, 2);
  });

  it('tells of a record that was put before the anchor', async () => {
    await linked(400, 400, 1);
    await deleteOldRecords(deps);
    await sql('update audit_log set position = 1 where position is null');
    assert.deepEqual(await kinds(), ['misplaced 1']);
  });

  it('writes down what was wrong with the records that it deletes', async () => {
    await linked(400, 400, 400, 1);
    await sql("update audit_log set actor_name = 'mallory' where position = 2");
    const { log, records } = capturedLog();
    await deleteOldRecords({ ...deps, log });
    const [record] = await auditRows(deps);
    assert.equal(record?.fields.problem_count, 1);
    assert.match(String(record?.fields.problems), /at position 2 does not fit its MAC/);
    assert.deepEqual(
      records.map(({ msg, problems }) => [msg, problems]),
      [['deleted damaged old audit records', record?.fields.problems]],
    );
    assert.deepEqual(await kinds(), []);
  });
});

describe('the retention of sessions', () => {
  it('forgets those that expired or ended long ago, and never one that could still be valid', async () => {
    const { id } = await makeUser(deps);
    await sql('delete from sessions');
    const now = deps.clock();
    const make = (name: string, expiresAt: number, endedAt: number | null) =>
      sql('insert into sessions (id, user_id, created_at, expires_at, ended_at) values ($1, $2, 1, $3, $4)', [
        name,
        id,
        expiresAt,
        endedAt,
      ]);
    await make('valid', now + day, null);
    await make('valid for years', now + 3000 * day, null);
    await make('expired long ago', now - 31 * day, null);
    await make('expired lately', now - 29 * day, null);
    await make('ended long ago', now + 3000 * day, now - 31 * day);
    await make('ended lately', now + day, now - day);
    for (const task of sessionTasks) await task.run(deps);
    const left = await deps.db.query<{ id: string }>('select id from sessions order by id');
    assert.deepEqual(
      left.map(({ id }) => id),
      ['ended lately', 'expired lately', 'valid', 'valid for years'],
    );
  });

  it('is in force for as long as the setting says', async () => {
    const { id } = await makeUser(deps);
    const token = await makeToken(deps, 'user', id);
    const later = { ...deps, clock: () => deps.clock() + 2 * day };
    for (const task of sessionTasks)
      await task.run({ ...later, settings: { ...deps.settings, sessionRetentionDays: 3 } });
    assert.equal((await server.call('GET', '/api/v2/self', { token })).status, 200);
    for (const task of sessionTasks)
      await task.run({ ...later, settings: { ...deps.settings, sessionRetentionDays: 1 } });
    const rows = await deps.db.query('select id from sessions where user_id = $1', [id]);
    assert.equal(rows.length, 0);
  });
});
