import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { emptyLog, runSql } from '../../../test/server/audit-log.ts';
import { auditRows, makeToken, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { capturedLog } from '../../../test/server/pipeline.ts';
import { createDeps } from '../../bootstrap.ts';
import { commandLine } from '../../caller.ts';
import { acceptClock, clockTask } from '../../clock-hold.ts';
import type { Deps } from '../../deps.ts';
import { insertGraph } from '../../graph/store.ts';
import { sessionTasks } from '../auth/index.ts';
import { insertRun, postureTasks } from '../posture/index.ts';
import { expiryTask } from '../reading/index.ts';
import { linkRecords, readHead } from './link.ts';
import { recordAudit } from './record.ts';
import { auditTasks } from './tasks.ts';
import { verifyLog } from './verify.ts';

const day = 86_400_000;
const deletions = [
  ...auditTasks.filter(({ name }) => name.startsWith('delete')),
  ...sessionTasks,
  ...postureTasks,
  expiryTask,
];

describe('a clock that is far away', () => {
  let server: TestServer;
  let deps: Deps;
  before(async () => {
    server = await startTestServer({ KENNEL_POSTURE_RETENTION_DAYS: '365' });
    deps = server.deps;
    await emptyLog(deps);
    const { id } = await makeUser(deps);
    await makeToken(deps, 'user', id);
    const now = deps.clock();
    await deps.db.transaction(async (db) => {
      for (let n = 0; n < 370; n += 1)
        await recordAudit(db, commandLine, now, { action: 'Test', fields: { n } });
    });
    await linkRecords(deps);
    await deps.graph.transaction(async (graph) => {
      for (const at of [now - 2000, now - 1000])
        await insertRun(graph, { startedAt: at - 1, finishedAt: at }, []);
      await insertGraph(graph, [{ objectId: 'U-1', kinds: ['User', 'Base'], name: 'ADA' }], [], now);
      await graph.execute(`insert into applied_files (file_id, applied_at, results) values ('f', $1, '[]')`, [
        now + 400 * day,
      ]);
    });
  });
  after(() => server.stop());

  /** As a process that is started at that time. */
  const startedIn = (days: number, log = deps.log) =>
    createDeps(
      { ...deps, close: async () => undefined },
      deps.settings,
      log,
      deps.publicUrl,
      () => deps.clock() + days * day,
    );
  const runAll = async (by: Deps) => {
    for (const task of deletions) await task.run(by);
  };
  const count = async (db: Deps['db'], table: string) =>
    (await db.one<{ n: number }>(`select cast(count(*) as bigint) as n from ${table}`))?.n;
  const left = async () => [
    await count(deps.db, 'audit_log where position <= 370'),
    await count(deps.db, 'sessions'),
    await count(deps.graph, 'analysis_runs'),
    await count(deps.graph, 'nodes'),
  ];

  it('deletes nothing, neither at once nor later, and says so in the log and in the health', async () => {
    const before = await left();
    const { log, records } = capturedLog();
    const ahead = await startedIn(400, log);
    await runAll(ahead);
    await recordAuditAt(ahead);
    await runAll(await startedIn(401));
    await clockTask.run(ahead);
    assert.deepEqual(await left(), before);
    assert.match(
      String(records[0]?.msg),
      /nothing is deleted because of its age until .*kennel doctor --accept-clock/,
    );
    assert.deepEqual((await verifyLog(deps)).findings, []);
    server.advance(400 * day);
    const health = await server.call('GET', '/health/ready');
    assert.deepEqual([health.status, health.body.details[0].context], [200, 'clock']);
    server.advance(-400 * day);
    assert.deepEqual((await server.call('GET', '/health/ready')).body.details, []);
  });

  it('deletes nothing when it is behind, and goes on when it is right again', async () => {
    const before = await left();
    await runAll(await startedIn(-30));
    await runAll(await startedIn(0));
    assert.deepEqual(await left(), before);
  });

  it('deletes once it is confirmed, and verifying tells what retention removed', async () => {
    const noted = await readHead(deps.db, deps.keys);
    const ahead = await startedIn(400);
    await deps.db.transaction((db) => acceptClock(db, ahead.clock()));
    await runAll(ahead);
    const [records, sessions, runs, nodes] = await left();
    assert.deepEqual([records, sessions, runs, nodes], [0, 0, 1, 0]);
    await linkRecords(ahead);
    const { findings, removals } = await verifyLog(ahead, { head: noted });
    assert.deepEqual(findings, []);
    assert.deepEqual(
      removals.map(({ from_position, to_position, retention_days }) => [
        from_position,
        to_position,
        retention_days,
      ]),
      [[1, 370, 365]],
    );
    const actions = (await auditRows(deps)).map(({ action, outcome }) => `${action} ${outcome}`);
    for (const expected of [
      'DeleteOldAuditRecords success',
      'DeleteOldSessions success',
      'DeleteOldPosture intent',
      'DeleteOldPosture success',
      'ExpireGraph intent',
      'ExpireGraph success',
    ])
      assert.ok(actions.includes(expected), expected);
  });

  it('does not hide a thief: what is gone without a genuine account is found', async () => {
    const kinds = async () =>
      (await verifyLog(deps)).findings.map(({ kind, position }) => `${kind} ${position}`);
    await runSql(deps, 'update audit_removals set to_position = 371');
    assert.ok((await kinds()).includes('forged_mark 1'));
    await runSql(deps, 'update audit_removals set to_position = 370');
    assert.deepEqual(await kinds(), []);
    await runSql(deps, 'delete from audit_log where position = 371');
    assert.ok((await kinds()).includes('missing 371'));
    await runSql(deps, 'delete from audit_removals');
    assert.ok((await kinds()).includes('missing 1'));
  });

  const recordAuditAt = (by: Deps) =>
    by.db.transaction((db) => recordAudit(db, commandLine, by.clock(), { action: 'Test', fields: {} }));
});
