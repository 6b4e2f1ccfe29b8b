import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyLog, findingsOf, readChain, runSql, writeRecords } from '../../../test/server/audit-log.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { createDeps } from '../../bootstrap.ts';
import { readSettings } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import { type Keys, loadKeys } from '../../keys.ts';
import { linkRecords, readHead } from './link.ts';
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
beforeEach(() => emptyLog(deps));

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const keysOf = (byte: number): Keys =>
  loadKeys(readSettings({ KENNEL_SECRET: secret(byte), KENNEL_DATA_DIR: deps.settings.dataDir }));
const sql = (text: string, params: (string | number | null)[] = []) => runSql(deps, text, params);

/** Links so many records as a process with these keys would. */
async function linked(count: number, by: Deps = deps): Promise<void> {
  await writeRecords(deps, count);
  await linkRecords(by);
}

/** The processes after a change of the secret: with the former one, and without it. */
function rotated(from: Keys = deps.keys, byte = 7): { both: Deps; present: Deps } {
  const present = keysOf(byte);
  return { both: { ...deps, keys: { ...present, previous: from } }, present: { ...deps, keys: present } };
}

const editOf = (where: string) =>
  sql(`update audit_log set actor_name = 'mallory', fields = '{}', linked_with = 'deadbeef' where ${where}`);
const markFrom = (name: string, position: number) =>
  sql(
    `insert into audit_marks select cast('${name}' as text), position, mac, 'deadbeef', '00' from audit_log where position = $1`,
    [position],
  );

describe('a secret that nobody has used', () => {
  it('does not hide that a record was edited, and the record is named', async () => {
    await linked(10);
    const ids = (await readChain(deps)).map(({ id }) => id);
    await editOf('position = 5');
    const { findings, findingCount, unknown } = await verifyLog(deps);
    assert.deepEqual(
      [findings.map(({ kind, id, position }) => [kind, id, position]), findingCount, unknown],
      [[['changed', ids[4], 5]], 1, undefined],
    );
  });

  it('does not hide edits at the front, or of everything', async () => {
    await linked(10);
    await editOf('position <= 4');
    assert.deepEqual(await findingsOf(deps), [['changed', 1]]);
    assert.equal((await verifyLog(deps)).unknown, undefined);
    await editOf('position <= 10');
    assert.deepEqual(await findingsOf(deps), [['changed', 1]]);
  });

  it('does not hide more edits than are listed', async () => {
    await linked(1100);
    await editOf('position > 1');
    const { findings, findingCount } = await verifyLog(deps);
    assert.deepEqual([findings.length, findingCount], [1000, 1099]);
  });

  it('does not hide that the front was cut off', async () => {
    await linked(10);
    await markFrom('anchor', 6);
    await sql('delete from audit_log where position <= 6');
    assert.deepEqual((await findingsOf(deps)).slice(0, 2), [
      ['forged_mark', 6],
      ['missing', 1],
    ]);
    // Nor when the rest says the same.
    await editOf('position > 6');
    assert.ok((await findingsOf(deps)).length > 0);
    assert.deepEqual((await findingsOf(deps))[0], ['forged_mark', 6]);
  });

  it('does not hide that the end was cut off, though everything else says the same', async () => {
    await linked(10);
    await sql("delete from audit_marks where name = 'head'");
    await markFrom('head', 8);
    await sql('delete from audit_log where position > 8');
    assert.deepEqual(await findingsOf(deps), [['forged_mark', 8]]);
    await editOf('position <= 8');
    assert.deepEqual(await findingsOf(deps), [['forged_mark', 8]]);
  });

  it('does not become one by being there when the server goes on', async () => {
    await linked(5);
    await editOf('position >= 4');
    await linked(3);
    assert.deepEqual(
      (await findingsOf(deps)).map(([kind, position]) => [kind, position]),
      [
        ['changed', 4],
        ['changed', 5],
      ],
    );
    await editOf('position <= 5');
    assert.deepEqual(await findingsOf(deps), [['changed', 1]]);
  });
});

describe('a former secret', () => {
  it('is asked for where its records end, before and after the chain has gone on', async () => {
    await linked(4);
    const { both, present } = rotated();
    await linkRecords(both);
    for (const more of [0, 3]) {
      if (more > 0) await linked(more, both);
      const { findings, unknown } = await verifyLog(present);
      assert.deepEqual([findings, unknown], [[], { from: 1, to: 4, count: 4 }]);
      assert.deepEqual(await findingsOf(both), []);
    }
  });

  it('explains nothing behind its last record', async () => {
    await linked(4);
    const { both, present } = rotated();
    await linkRecords(both);
    // Put in behind the head, when no record of the present secret is there yet.
    const copy = 'created_at, actor_kind, actor_id, actor_name, action, outcome, fields, request_id';
    await sql(
      `insert into audit_log (${copy}, source_address, position, mac, linked_with)
       select ${copy}, source_address, 5, mac, linked_with from audit_log where position = 4`,
    );
    assert.deepEqual(await findingsOf(present), [['changed', 5]]);
    assert.deepEqual((await verifyLog(present)).unknown, { from: 1, to: 4, count: 4 });
    await sql('delete from audit_log where position = 5');
    await linked(3, both);
    await editOf('position = 6');
    assert.deepEqual((await findingsOf(present))[0]?.slice(0, 2), ['changed', 6]);
    await editOf('position = 5');
    assert.deepEqual(await findingsOf(present), [['changed', 1]]);
  });

  it('that is given explains no other one before it', async () => {
    await linked(6);
    const { both, present } = rotated();
    await linked(2, both);
    await editOf('position <= 3');
    assert.deepEqual(await findingsOf(both), [['changed', 1]]);
    // Without it nobody can tell.
    assert.deepEqual((await verifyLog(present)).unknown, { from: 1, to: 6, count: 6 });
  });

  it('may be followed by several, of which the last two are known', async () => {
    await linked(2);
    await linked(2, rotated().both);
    const third = rotated(keysOf(7), 9);
    await linked(2, third.both);
    for (const [by, to] of [
      [third.both, 2],
      [third.present, 4],
    ] as const) {
      const { findings, unknown, checked } = await verifyLog(by);
      assert.deepEqual([findings, unknown, checked], [[], { from: 1, to, count: to }, 6]);
    }
    // A secret that was never used is no help, and does no harm.
    const wrong = { ...deps, keys: { ...keysOf(9), previous: keysOf(8) } };
    assert.deepEqual((await verifyLog(wrong)).findings, []);
    assert.equal((await verifyLog(wrong)).unknown?.to, 4);
  });

  it('is still found where it ended after the front was deleted because of its age', async () => {
    await writeRecords({ ...deps, clock: () => deps.clock() - 400 * day }, 3);
    await linkRecords(deps);
    const { both, present } = rotated();
    await linked(2, both);
    await deleteOldRecords(present);
    const deletion = await deps.db.one<{ fields: string }>(
      "select fields from audit_log where action = 'DeleteOldAuditRecords'",
    );
    const { count, unproven_count } = JSON.parse(deletion?.fields ?? '');
    assert.deepEqual([count, unproven_count], [3, 3]);
    await linkRecords(present);
    assert.deepEqual(await findingsOf(present), []);
    assert.equal((await verifyLog(present)).unknown, undefined);
  });

  it('keeps a process that has only it from deleting', async () => {
    await linked(3);
    await linkRecords(rotated().both);
    const later = { ...deps, clock: () => deps.clock() + 400 * day };
    await assert.rejects(deleteOldRecords(later), /a secret that this process was not given/);
    assert.equal((await readChain(deps)).length, 3);
  });
});

describe('the beginning of the log', () => {
  it('is sealed when the store is made, and tells nothing as a head', async (t) => {
    const other = await startTestServer();
    t.after(() => other.stop());
    const marks = await other.deps.db.query('select name, position, mac, sealed_with from audit_marks');
    const { fingerprint } = other.deps.keys;
    assert.deepEqual([...marks], [{ name: 'head', position: 0, mac: '', sealed_with: fingerprint }]);
    assert.equal(await readHead(other.deps.db, other.deps.keys), undefined);
    assert.deepEqual(await findingsOf(other.deps), []);
  });

  const again = () =>
    createDeps({ ...deps, close: async () => {} }, deps.settings, deps.log, deps.publicUrl, deps.clock);

  it('is missed when everything was deleted, also after a start and after the chain has gone on', async () => {
    await linked(3);
    await sql('delete from audit_log');
    await sql('delete from audit_marks');
    assert.deepEqual(await findingsOf(deps), [['forged_mark', 0]]);
    await again();
    await linkRecords(deps);
    assert.deepEqual(await findingsOf(deps), [['forged_mark', 0]]);
    await assert.rejects(readHead(deps.db, deps.keys), /missing/);
    await linked(2);
    assert.deepEqual(await findingsOf(deps), [['missing', 1]]);
  });

  it('is sealed once in a store from before, whose records were never linked', async () => {
    await sql('delete from audit_marks');
    await sql("delete from instance_facts where name = 'audit_chain'");
    await writeRecords(deps, 2);
    await again();
    assert.deepEqual(await findingsOf(deps), []);
    await linkRecords(deps);
    assert.deepEqual(await findingsOf(deps), []);
  });

  it('is not made up for a log that was linked already', async () => {
    await linked(2);
    await sql('delete from audit_marks');
    await sql("delete from instance_facts where name = 'audit_chain'");
    await again();
    assert.deepEqual(await findingsOf(deps), [['forged_mark', 0]]);
  });

  it('survives a change of the secret before the first record', async () => {
    const { both, present } = rotated();
    await linkRecords(both);
    assert.deepEqual(await findingsOf(present), []);
    await linked(2, both);
    assert.deepEqual(await findingsOf(present), []);
  });
});
