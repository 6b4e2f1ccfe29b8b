import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertRun } from '../posture/index.ts';
import { clearTask } from './clear.ts';

describe('GET /api/v2/datapipe/status', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('answers 200 with idle and times that never were on a new store, then with those of the last run', async () => {
    const { token } = await makeUser(server.deps, 'Read-Only');
    const get = async () => (await server.call('GET', '/api/v2/datapipe/status', { token })).body;
    const never = '0001-01-01T00:00:00Z';
    const quiet = {
      next_scheduled_analysis_at: never,
      analysis_requested: false,
      analysis_stage: null,
      analysis_percent: null,
    };
    assert.deepEqual(await get(), {
      data: {
        status: 'idle',
        updated_at: never,
        last_complete_analysis_at: never,
        last_analysis_run_at: never,
        ...quiet,
      },
    });
    const run = { startedAt: Date.UTC(2026, 0, 5, 8), finishedAt: Date.UTC(2026, 0, 5, 9) };
    await server.deps.graph.transaction((graph) => insertRun(graph, run, []));
    assert.deepEqual(await get(), {
      data: {
        status: 'idle',
        updated_at: '2026-01-05T09:00:00Z',
        last_complete_analysis_at: '2026-01-05T09:00:00Z',
        last_analysis_run_at: '2026-01-05T08:00:00Z',
        ...quiet,
      },
    });
  });

  it('answers 200 with what files and uploads are about, and forgets finished ones when told to', async () => {
    const { token } = await makeUser(server.deps);
    const { db } = server.deps;
    const status = async () =>
      (await server.call('GET', '/api/v2/datapipe/status', { token })).body.data.status as string;
    const move = (upload: number, file: string) =>
      db.transaction(async (db) => {
        await db.execute('update uploads set status = $1', [upload]);
        await db.execute('update ingest_files set state = $1', [file]);
      });
    const left = async () => {
      const tables = ['uploads', 'ingest_files', 'ingest_results'];
      const rows = await Promise.all(tables.map((table) => db.query(`select id from ${table}`)));
      return rows.map(({ length }) => length);
    };
    const clear = async () => {
      const body = { confirm: 'delete', deleteFileIngestHistory: true };
      assert.equal((await server.call('POST', '/api/v2/clear-database', { token, body })).status, 202);
      await clearTask.run(server.deps);
    };
    await db.transaction(async (db) => {
      await db.execute(
        `insert into uploads (id, user_name, status, status_message, start_time, total_files, failed_files,
           partial_failed_files, created_at, updated_at) values (1, 'ada', 1, '', 1, 1, 0, 0, 1, 1)`,
      );
      await db.execute(
        `insert into ingest_files (id, upload_id, name, sha256, encoding, bytes, unpacked_bytes, state, reading_id,
           crashes, read_bytes, read_records, created_at, updated_at)
         values (1, 1, 'a.json', '', 'identity', 1, 1, 'arrived', 'r', 0, 0, 0, 1, 1)`,
      );
      await db.execute(
        `insert into ingest_results (file_id, file_name, outcome, records, nodes, edges, withdrawn, skipped, warnings,
           errors, created_at, updated_at) values (1, 'a.json', 'complete', 1, 1, 1, 0, '{}', '[]', '[]', 1, 1)`,
      );
    });
    assert.equal(await status(), 'idle');
    await move(6, 'waiting');
    assert.equal(await status(), 'ingesting');
    await move(6, 'reading');
    assert.equal(await status(), 'ingesting');
    await clear();
    assert.deepEqual(await left(), [1, 1, 1]);
    await move(7, 'complete');
    assert.equal(await status(), 'analyzing');
    await clear();
    assert.deepEqual(await left(), [1, 1, 1]);
    await move(2, 'complete');
    await clear();
    assert.deepEqual(await left(), [0, 0, 0]);
    assert.equal(await status(), 'idle');
    const deleted = (await auditRows(server.deps))
      .filter(({ outcome }) => outcome === 'success')
      .map(({ fields }) => fields.deleted_files);
    assert.deepEqual(deleted.slice(0, 3), [1, 0, 0]);
  });
});
