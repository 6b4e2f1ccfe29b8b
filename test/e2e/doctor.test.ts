import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { auditRows } from '../server/builders.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';
import { runKennel } from '../server/processes.ts';

const day = 86_400_000;

describe('kennel doctor', () => {
  let server: TestServer;
  let env: Record<string, string>;
  before(async () => {
    server = await startTestServer();
    const { dataDir, databaseUrl } = server.deps.settings;
    env = { KENNEL_DATA_DIR: dataDir, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) };
  });
  after(() => server.stop());

  const lastInUse = (at: number) =>
    server.deps.db.transaction((db) =>
      db.execute("update instance_facts set value = $1 where name = 'clock_seen'", [String(at)]),
    );

  it('finds nothing wrong with a clock that is right', async () => {
    const { code, stdout } = await runKennel(['doctor', '--json'], env);
    assert.equal(code, 0);
    const { ok, clock_held } = JSON.parse(stdout);
    assert.deepEqual([ok, clock_held], [true, false]);
  });

  it('ends with 3 while the clock is far away, and changes nothing', async () => {
    await lastInUse(Date.now() - 400 * day);
    for (let time = 0; time < 2; time += 1) {
      const { code, stderr } = await runKennel(['doctor'], env);
      assert.equal(code, 3);
      assert.match(stderr, /^kennel: the clock says .* was last in use at .* `kennel doctor --accept-clock`/);
    }
  });

  it('takes a confirmation, which has an audit record', async () => {
    const { code, stdout } = await runKennel(['doctor', '--accept-clock'], env);
    assert.deepEqual([code, /is confirmed/.test(stdout)], [0, true]);
    const [record] = await auditRows(server.deps);
    assert.deepEqual([record?.action, record?.actor_name], ['AcceptClock', 'kennel']);
    assert.equal((await runKennel(['doctor'], env)).code, 0);
  });
});

describe('a command on a store that can not be used', () => {
  it('ends with 3 and one line', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'kennel-none-'));
    writeFileSync(join(dataDir, 'kennel.db'), 'no database at all, but some text that goes on\n'.repeat(100));
    for (const command of ['serve', 'token', 'doctor', 'migrate']) {
      const { code, stdout, stderr } = await runKennel([command], { KENNEL_DATA_DIR: dataDir });
      assert.deepEqual([code, stdout], [3, ''], command);
      assert.match(stderr, /^kennel: \S*kennel\.db is not a database of Kennel: .*\n$/);
    }
    rmSync(dataDir, { recursive: true });
  });
});
