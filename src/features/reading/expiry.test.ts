import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { acceptClock } from '../../clock-hold.ts';
import { defaultIngestLimits, ingestFile } from '../../graph/ingest/ingest-file.ts';
import { findNodes } from '../../graph/store.ts';
import { expiryTask } from './expiry.ts';

const day = 86_400_000;

describe('the expiry of the graph', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  /** One user of its own, read at the server's present time. */
  const read = async (id: string) => {
    const text = JSON.stringify({
      meta: { type: 'users', version: 6, methods: 0, count: 1 },
      data: [{ ObjectIdentifier: id, Properties: { name: id } }],
    });
    const [result] = await ingestFile(
      server.deps.graph,
      {
        name: `${id}.json`,
        size: text.length,
        open: async function* () {
          yield Buffer.from(text);
        },
      },
      { fileId: `file of ${id}`, seenAt: server.now(), limits: defaultIngestLimits },
    );
    assert.equal(result?.outcome, 'complete', JSON.stringify(result));
  };
  const has = async (id: string) => (await findNodes(server.deps.graph, [id])).size === 1;
  /** Time in which the store was in use. */
  const pass = async (ms: number) => {
    server.advance(ms);
    await server.deps.db.transaction((db) => acceptClock(db, server.now()));
  };
  const run = () => expiryTask.run({ ...server.deps, clock: server.now });

  it('takes what was not seen again, and only once something else was', async () => {
    await run(); // nothing was ever read
    await read('S-1-5-21-1-1001');
    await pass(8 * day);
    await run();
    assert.ok(await has('S-1-5-21-1-1001'), 'nobody has looked again');
    await read('S-1-5-21-1-1002');
    await run();
    assert.deepEqual([await has('S-1-5-21-1-1001'), await has('S-1-5-21-1-1002')], [false, true]);
  });

  it('forgets which files were read when they are long gone, but for the last one', async () => {
    const files = async () =>
      (
        await server.deps.graph.query<{ file_id: string }>('select file_id from applied_files order by id')
      ).map((row) => row.file_id);
    const before = await files();
    assert.equal(before.length, 2);
    await pass(24 * day);
    await run();
    assert.deepEqual(await files(), before.slice(1));
    await pass(100 * day);
    await run();
    assert.deepEqual(await files(), before.slice(1));
  });

  it('takes nothing while reconciliation is off', async () => {
    const set = (enabled: boolean) =>
      server.deps.db.transaction((db) =>
        db.execute("update parameters set value = $1 where key = 'analysis.reconciliation'", [
          JSON.stringify({ enabled }),
        ]),
      );
    await set(false);
    await pass(8 * day);
    await read('S-1-5-21-1-1003');
    await run();
    assert.ok(await has('S-1-5-21-1-1002'));
    await set(true);
    await run();
    assert.ok(!(await has('S-1-5-21-1-1002')));
  });
});
