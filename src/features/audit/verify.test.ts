import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { emptyLog, findingsOf, readChain, runSql, writeRecords } from '../../../test/server/audit-log.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { capturedLog } from '../../../test/server/pipeline.ts';
import type { Deps } from '../../deps.ts';
import { linkRecords, readHead } from './link.ts';
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

describe('verifying', () => {
  it('is content with an empty log', async () => {
    const result = await verifyLog(deps);
    assert.deepEqual([result.findings, result.checked, result.last.position], [[], 0, 0]);
  });

  it('tells which record was edited, whatever the column', async () => {
    const edits = {
      created_at: 5,
      actor_kind: 'client',
      actor_id: 'u-2',
      actor_name: 'mallory',
      action: 'Other',
      outcome: 'failure',
      fields: '{"n":7}',
      request_id: 'r-2',
      source_address: '192.0.2.2',
      mac: '0'.repeat(64),
      id: 1_000_000,
    };
    for (const [column, value] of Object.entries(edits)) {
      await emptyLog(deps);
      const ids = await linked(5);
      await runSql(deps, `update audit_log set ${column} = $1 where position = 3`, [value]);
      assert.deepEqual(
        await findingsOf(deps),
        [['changed', 3, column === 'id' ? 1_000_000 : ids[2]]],
        column,
      );
    }
  });

  it('tells a changed position, and one that is no place in the chain', async () => {
    const ids = await linked(5);
    await runSql(deps, 'update audit_log set position = 9 where position = 3');
    assert.deepEqual(await findingsOf(deps), [
      ['missing', 3],
      ['unchecked', 4, ids[3]],
      ['missing', 6],
      ['unchecked', 9, ids[2]],
    ]);
    await runSql(deps, 'update audit_log set position = -4 where position = 9');
    assert.deepEqual((await findingsOf(deps))[0], ['misplaced', -4, ids[2]]);
  });

  it('tells a record beyond every place, which does not keep the chain from going on', async () => {
    const ids = await linked(3);
    await runSql(deps, `update audit_log set position = ${2n ** 62n} where position = 3`);
    const { findings } = await verifyLog(deps);
    assert.deepEqual(
      findings.map(({ kind, id }) => [kind, id]),
      [
        ['misplaced', ids[2]],
        ['cut_off', undefined],
      ],
    );
    await writeRecords(deps, 1);
    await linkRecords(deps);
    assert.ok((await readChain(deps)).some(({ position }) => position === 4));
  });

  it('tells a record that was unlinked, even after it was linked again', async () => {
    const ids = await linked(3);
    await runSql(deps, 'update audit_log set position = null where position = 2');
    const expected = [
      ['missing', 2],
      ['unchecked', 3, ids[2]],
    ];
    assert.deepEqual(await findingsOf(deps), expected);
    await linkRecords(deps);
    assert.deepEqual(await findingsOf(deps), expected);
  });

  it('tells what is missing at the front, in the middle and at the end', async () => {
    for (const [position, expected] of [
      [1, ['missing', 1]],
      [3, ['missing', 3]],
      [5, ['cut_off', 5]],
    ] as const) {
      await emptyLog(deps);
      await linked(5);
      await runSql(deps, 'delete from audit_log where position = $1', [position]);
      assert.deepEqual((await findingsOf(deps))[0], expected);
    }
  });

  it('tells two records that changed places', async () => {
    const ids = await linked(6);
    await runSql(deps, 'update audit_log set position = 99 where position = 2');
    await runSql(deps, 'update audit_log set position = 2 where position = 4');
    await runSql(deps, 'update audit_log set position = 4 where position = 99');
    const changed = await findingsOf(deps);
    assert.ok(changed.some(([, , id]) => id === ids[1]) && changed.some(([, , id]) => id === ids[3]));
  });

  it('tells a record that was put in, and does not blame those after it', async () => {
    await linked(3);
    await runSql(
      deps,
      `insert into audit_log (created_at, actor_kind, actor_id, actor_name, action, outcome, fields, request_id, source_address, position, mac, linked_with)
       select created_at, actor_kind, actor_id, actor_name, action, outcome, fields, request_id, source_address, 4, mac, linked_with
       from audit_log where position = 3`,
    );
    const forged = (await readChain(deps)).at(-1)?.id;
    assert.deepEqual(await findingsOf(deps), [['changed', 4, forged]]);
    const { log, records } = capturedLog();
    await writeRecords(deps, 2);
    await linkRecords({ ...deps, log });
    assert.deepEqual(await findingsOf(deps), [
      ['changed', 4, forged],
      ['missing', 5],
    ]);
    assert.equal(records.length, 1, 'the server noticed');
  });

  it('still sees that the end was cut off after the chain has gone on', async () => {
    const ids = await linked(5);
    await runSql(deps, 'delete from audit_log where position > 3');
    assert.deepEqual(await findingsOf(deps), [['cut_off', 4]]);
    await linked(2);
    const after = (await readChain(deps)).find(({ position }) => position === 6)?.id;
    assert.ok(!ids.includes(Number(after)));
    assert.deepEqual(await findingsOf(deps), [
      ['missing', 4],
      ['unchecked', 6, after],
    ]);
  });

  it('sees a cut that hides itself behind an older head only with a head that was noted down', async () => {
    await linked(3);
    const older = await deps.db.one<{ mac: string; seal: string }>('select mac, seal from audit_marks');
    await linked(2);
    const noted = await readHead(deps.db, deps.keys);
    assert.deepEqual(await findingsOf(deps, noted), []);
    await runSql(deps, 'delete from audit_log where position > 3');
    await runSql(deps, 'update audit_marks set position = 3, mac = $1, seal = $2', [
      older?.mac ?? '',
      older?.seal ?? '',
    ]);
    assert.deepEqual(await findingsOf(deps), []);
    assert.deepEqual(await findingsOf(deps, noted), [['cut_off', 4]]);
    // Longer again, but not the same.
    await linked(4);
    assert.deepEqual(await findingsOf(deps), []);
    assert.deepEqual((await findingsOf(deps, noted))[0]?.slice(0, 2), ['other_head', 5]);
  });

  it('tells a head that is forged or gone, for ever', async () => {
    await linked(3);
    await runSql(deps, 'update audit_marks set position = 2');
    assert.deepEqual(await findingsOf(deps), [['forged_mark', 2]]);
    await assert.rejects(readHead(deps.db, deps.keys), /not genuine/);
    await runSql(deps, 'delete from audit_marks');
    assert.deepEqual(await findingsOf(deps), [['forged_mark', 0]]);
    await linked(2);
    assert.deepEqual(await findingsOf(deps), [['missing', 4]]);
  });
});
