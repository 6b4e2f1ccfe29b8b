import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyLog, findingsOf, readChain, runSql, writeRecords } from '../../../test/server/audit-log.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { capturedLog } from '../../../test/server/pipeline.ts';
import { readSettings } from '../../config.ts';
import { openStores } from '../../db/open.ts';
import type { Deps } from '../../deps.ts';
import { loadKeys } from '../../keys.ts';
import { linkRecords, readHead } from './link.ts';
import { logHead } from './tasks.ts';
import { verifyLog } from './verify.ts';

let server: TestServer;
let deps: Deps;
before(async () => {
  server = await startTestServer();
  deps = server.deps;
});
after(() => server.stop());
beforeEach(() => emptyLog(deps));

async function linked(count: number): Promise<number[]> {
  await writeRecords(deps, count);
  await linkRecords(deps);
  return (await readChain(deps)).map(({ id }) => id);
}

describe('linking', () => {
  it('numbers the records without gaps, in order of id, and is done when all are linked', async () => {
    const ids = await linked(300);
    await writeRecords(deps, 5);
    await linkRecords(deps);
    await linkRecords(deps);
    const rows = await readChain(deps);
    assert.deepEqual(
      rows.map(({ position }) => position),
      Array.from({ length: 305 }, (_, index) => index + 1),
    );
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    assert.equal(new Set(rows.map(({ mac }) => mac)).size, 305);
    const result = await verifyLog(deps);
    assert.deepEqual([result.findings, result.checked, result.unlinked], [[], 305, 0]);
    assert.deepEqual(await readHead(deps.db, deps.keys), { position: 305, mac: rows.at(-1)?.mac });
  });

  it('makes the MAC of the key, the MAC before and everything that the record says', async () => {
    await linked(2);
    const rows = await deps.db.query<Record<string, string | number>>(
      'select * from audit_log order by position',
    );
    let mac = '';
    for (const row of rows) {
      const parts = ['record', mac, row.position, row.id, row.created_at, 'user', 'u-1', 'zoë', 'Test'];
      const text = JSON.stringify([...parts, 'success', row.fields, 'r-1', '192.0.2.1'].map(String));
      mac = createHmac('sha256', deps.keys.audit).update(text).digest('hex');
      assert.equal(row.mac, mac);
      assert.equal(row.linked_with, deps.keys.fingerprint);
    }
  });

  it('links a record that shows up late behind those with higher ids', async () => {
    const ids = await linked(3);
    const late = Number(ids[0]) - 1;
    await runSql(
      deps,
      `insert into audit_log (id, created_at, actor_kind, actor_id, actor_name, action, outcome, fields, request_id, source_address)
       values ($1, 1, 'user', '', '', 'Late', 'success', '{}', '', '')`,
      [late],
    );
    assert.equal((await verifyLog(deps)).unlinked, 1);
    await linkRecords(deps);
    assert.deepEqual(
      (await readChain(deps)).map(({ id }) => id),
      [...ids, late],
    );
    assert.deepEqual(await findingsOf(deps), []);
  });

  it('can be done by several processes at once, and each record is linked once', async () => {
    const others = [openStores(deps.settings), openStores(deps.settings)];
    await writeRecords(deps, 700);
    await Promise.all([deps.db, ...others.map(({ db }) => db)].map((db) => linkRecords({ ...deps, db })));
    const result = await verifyLog(deps);
    assert.deepEqual([result.findings, result.checked, result.unlinked], [[], 700, 0]);
    for (const stores of others) await stores.close();
  });

  it('puts the head into the log of the process, and no key', async () => {
    const { log, records, text } = capturedLog();
    await logHead({ ...deps, log });
    assert.equal(records.length, 0);
    await linked(2);
    await logHead({ ...deps, log });
    const head = await readHead(deps.db, deps.keys);
    assert.deepEqual([records[0]?.position, records[0]?.mac], [2, head?.mac]);
    assert.ok(!text().includes(Buffer.from(deps.keys.audit).toString('hex')));
  });
});

describe('a change of the secret', () => {
  const other = () => {
    const { KENNEL_SECRET } = { KENNEL_SECRET: Buffer.alloc(32, 7).toString('base64') };
    return loadKeys(readSettings({ KENNEL_SECRET, KENNEL_DATA_DIR: deps.settings.dataDir }));
  };

  it('leaves older links verifiable while the previous secret is given', async () => {
    await linked(3);
    const rotated: Deps = { ...deps, keys: { ...other(), previous: deps.keys } };
    await linkRecords(rotated);
    await writeRecords(deps, 2);
    await linkRecords(rotated);
    const both = await verifyLog(rotated);
    assert.deepEqual([both.findings, both.unknown, both.checked], [[], undefined, 5]);

    const forgetful: Deps = { ...deps, keys: other() };
    const one = await verifyLog(forgetful);
    assert.deepEqual([one.findings, one.unknown, one.checked], [[], { from: 1, to: 3, count: 3 }, 5]);
    await runSql(deps, "update audit_log set action = 'Edited' where position = 5");
    assert.deepEqual((await findingsOf(forgetful))[0]?.slice(0, 2), ['changed', 5]);
  });

  it('seals the head again, though there is nothing to link', async () => {
    await linked(3);
    const head = await readHead(deps.db, deps.keys);
    await linkRecords({ ...deps, keys: { ...other(), previous: deps.keys } });
    assert.deepEqual(await readHead(deps.db, other()), head);
  });

  it('keeps a process that has only the old secret from linking', async () => {
    await linked(2);
    await linkRecords({ ...deps, keys: { ...other(), previous: deps.keys } });
    await writeRecords(deps, 1);
    await assert.rejects(linkRecords(deps), /a secret that this process was not given/);
    assert.equal((await verifyLog(deps)).unlinked, 1);
    assert.deepEqual(await findingsOf(deps), [['forged_mark', 2]]);
  });
});
