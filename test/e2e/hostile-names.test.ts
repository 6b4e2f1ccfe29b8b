import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { add, analyse, estate, north } from '../graph/posture-estate.ts';
import { makeUser } from '../server/builders.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';
import { runKennel } from '../server/processes.ts';

/** Sets the title, clears the screen in seven and in eight bits, goes back, starts a line, and turns the writing. */
const hostile = 'X\u001b]0;owned\u0007\u001b[2J\u009b2J\rcomplete\nok \u202egpj\u2066\u200b\u{e0041}';

describe('names that somebody else has chosen', () => {
  let server: TestServer;
  let env: Record<string, string>;
  let directory: string;
  before(async () => {
    server = await startTestServer();
    const { deps } = server;
    const { dataDir, databaseUrl } = deps.settings;
    env = {
      KENNEL_DATA_DIR: dataDir,
      LANG: 'en_GB.UTF-8',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    };
    directory = mkdtempSync(join(tmpdir(), 'kennel-hostile-'));
    const nodes = estate.map((node) => (node.objectId === north ? { ...node, name: hostile } : node));
    await add(deps, nodes, []);
    await analyse({ ...deps, clock: () => deps.clock() - 1000 });
    const { id } = await makeUser(deps);
    await deps.db.transaction((db) =>
      db.execute('update users set principal_name = $2, is_disabled = 1 where id = $1', [id, hostile]),
    );
  });
  after(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const commands: Record<string, () => string[]> = {
    'ingest, of a file that is read': () => {
      const file = join(directory, `${hostile}.json`);
      writeFileSync(
        file,
        JSON.stringify({ meta: { type: 'users', version: 6, count: 0, methods: 0 }, data: [] }),
      );
      return ['ingest', file];
    },
    'ingest, of a file that is not': () => {
      const file = join(directory, `${hostile}.txt`);
      writeFileSync(file, hostile);
      return ['ingest', file];
    },
    'ingest, of a file that is not there': () => ['ingest', join(directory, `${hostile}.none`)],
    posture: () => ['posture'],
    'posture, of an environment that is not there': () => ['posture', '--environment', hostile],
    'token, of a disabled user': () => ['token', '--user', hostile],
    'token, of nobody': () => ['token', '--client', hostile],
    'reset-password': () => ['reset-password', hostile],
    'reset-password, of nobody': () => ['reset-password', `${hostile}!`],
    'config set': () => ['config', 'set', hostile, '{}'],
    'config check': () => ['config', 'check'],
    'export --opengraph': () => ['export', '--opengraph'],
    'audit verify': () => ['audit', 'verify', '--head', hostile],
    doctor: () => ['doctor'],
    'a command that is none': () => [hostile],
    'an option that is none': () => ['token', `--${hostile}`],
  };
  for (const [name, args] of Object.entries(commands)) {
    it(`do not steer a terminal: ${name}`, async () => {
      const { stdout, stderr } = await runKennel(args(), env);
      assert.notEqual(stdout + stderr, '');
      assert.doesNotMatch((stdout + stderr).replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    });
  }

  it('start no line of their own, and are themselves in JSON', async () => {
    const { stdout } = await runKennel(['posture'], env);
    assert.match(stdout, /^X\\u001b\]0;owned\\u0007.*\\u000aok \\u202egpj/m);
    const json = await runKennel(['posture', '--json'], env);
    assert.doesNotMatch(json.stdout.trimEnd(), /[\p{Cc}\p{Cf}]/u);
    const names = JSON.parse(json.stdout).environments.map(({ name }: { name: string }) => name);
    assert.ok(names.includes(hostile));
  });
});
