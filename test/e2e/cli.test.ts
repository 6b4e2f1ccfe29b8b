import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Ended, runKennel, runKennelMany } from '../server/processes.ts';

// What the commands do that need no store; `cli-store.test.ts` has the others.
const parent = mkdtempSync(join(tmpdir(), 'kennel-test-'));
after(() => rmSync(parent, { recursive: true }));

// biome-ignore lint/suspicious/noControlCharactersInRegex: looking for them is the point
const colourCode = /\u001b/;

/** What holds for every command. */
function check(ended: Ended): Ended {
  assert.doesNotMatch(ended.stdout + ended.stderr, colourCode);
  if (ended.code !== 0) assert.equal(ended.stdout, '', 'a command that fails prints no data');
  return ended;
}

const withDefaults = (env: Record<string, string>) => ({
  KENNEL_DATA_DIR: join(parent, 'none'),
  FORCE_COLOR: '1',
  ...env,
});
const run = async (args: string[], env: Record<string, string> = {}) =>
  check(await runKennel(args, withDefaults(env)));
const runMany = async (calls: string[][], env: Record<string, string> = {}) =>
  (await runKennelMany(calls, withDefaults(env))).map(check);

const secrets = {
  DATABASE_URL: 'postgres://ann:hush-database@db.example/kennel?sslmode=require&password=hush-query',
  KENNEL_SECRET: Buffer.alloc(32, 7).toString('base64'),
  KENNEL_SECRET_PREVIOUS: Buffer.alloc(32, 8).toString('base64'),
  KENNEL_ADMIN_PASSWORD: 'Hush-admin-password-1',
};

describe('kennel', () => {
  it('explains itself and each of its commands', async () => {
    const [top] = await runMany([['--help']]);
    assert.equal(top?.code, 0);
    const listed = (top?.stdout.split('\nCommands:\n')[1] ?? '').matchAll(/^ {2}([a-z-]+) /gm);
    const commands = [...listed].map(([, name = '']) => name).filter((name) => name !== 'help');
    for (const name of ['serve', 'token', 'reset-password', 'migrate', 'config', 'openapi'])
      assert.ok(commands.includes(name), name);
    const paths = [...commands, 'config check', 'config set', 'audit head', 'audit verify'];
    // These only hold others, or write a document.
    const without = ['openapi', 'config', 'audit', 'export'];
    const helps = await runMany(paths.map((path) => [...path.split(' '), '--help']));
    for (const [index, path] of paths.entries()) {
      const { code, stdout = '', stderr } = helps[index] ?? {};
      assert.deepEqual([code, stderr], [0, ''], path);
      assert.ok(stdout.startsWith(`Usage: kennel ${path} `), stdout);
      if (!without.includes(path)) assert.match(stdout, /--json/);
    }
  });

  it('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const { code, stdout, stderr } = await run(['--version']);
    assert.deepEqual([code, stdout, stderr], [0, `${version}\n`, '']);
  });

  it('ends with 2 when it is called in a wrong way', async () => {
    const wrong: [string[], RegExp][] = [
      [[], /Usage: kennel/],
      [['config'], /Usage: kennel config/],
      [['sevre'], /unknown command 'sevre'/],
      [['serve', '--prot', '1'], /unknown option '--prot'/],
      [['serve', 'extra'], /too many arguments/],
      [['reset-password'], /missing required argument 'name'/],
      [['config', 'set', 'key'], /missing required argument 'json'/],
      [['config', 'set', 'key', '{'], /not valid JSON/],
      [['token', '--user', 'a', '--client', 'b'], /either --user or --client/],
      [['token', '--ttl', '8h'], /--ttl must be an ISO 8601 duration from PT1S to P3650D, but is 8h/],
      [['token', '--ttl', 'PT0S'], /--ttl must be/],
      [['token', '--ttl', 'P3651D'], /--ttl must be/],
      [['openapi', '--edition', 'free'], /KENNEL_EDITION/],
    ];
    const ended = await runMany(wrong.map(([args]) => args));
    for (const [index, [args, message]] of wrong.entries()) {
      const { code, stderr = '' } = ended[index] ?? {};
      assert.equal(code, 2, `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n {4}at /, 'no stack');
    }
    // The process itself ends like that too.
    assert.equal((await run(['sevre'])).code, 2);
  });

  it('refuses settings that it does not know, with the nearest that it knows, all at once', async () => {
    const { code, stderr } = await run(['config', 'check'], {
      KENNEL_PROT: '8080',
      KENNEL_DATABASE_URL: 'x',
      KENNEL_PORT: 'eighty',
    });
    assert.equal(code, 2);
    assert.match(stderr, /^kennel: the settings are not valid:\n/);
    assert.match(stderr, /KENNEL_PROT is not a setting; did you mean KENNEL_PORT\?/);
    assert.match(stderr, /KENNEL_DATABASE_URL is not a setting; did you mean DATABASE_URL\?/);
    assert.match(stderr, /KENNEL_PORT .*expected/);
  });

  it('checks settings before it does anything', async () => {
    const commands = [['serve'], ['migrate'], ['token'], ['reset-password', 'admin']];
    for (const { code, stderr } of await runMany(commands, { KENNEL_PROT: '1' })) {
      assert.equal(code, 2);
      assert.match(stderr, /did you mean KENNEL_PORT/);
    }
    assert.equal(existsSync(join(parent, 'none')), false);
  });

  it('shows settings without their secrets', async () => {
    const calls = [[], ['--json']].map((more) => ['config', 'check', '--port', '9', ...more]);
    const [text, json] = (await runMany(calls, { ...secrets, KENNEL_PORT: '8' })) as [Ended, Ended];
    for (const { code, stdout, stderr } of [text, json]) {
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.doesNotMatch(stdout, /hush/i);
      for (const name of ['KENNEL_SECRET', 'KENNEL_SECRET_PREVIOUS'] as const)
        assert.ok(!stdout.includes(secrets[name]));
    }
    assert.match(text.stdout, /^port +9$/m);
    assert.match(text.stdout, /^secret +\(set\)$/m);
    assert.match(text.stdout, /^metricsPort +\(not set\)$/m);
    assert.equal(json.stdout.trimEnd().split('\n').length, 1);
    const settings = JSON.parse(json.stdout);
    assert.equal(settings.port, 9);
    assert.equal(settings.adminPassword, '(set)');
    assert.match(settings.databaseUrl, /^postgres:\/\/ann:\(hidden\)@db\.example\/kennel/);
  });

  it('prints the document that is committed', async () => {
    const committed = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
    const file = join(parent, 'openapi.json');
    const calls = [['openapi'], ['openapi', '--out', file], ['openapi', '--edition', 'community']];
    const [printed, written, community] = (await runMany(calls)) as [Ended, Ended, Ended];
    assert.equal(printed.code, 0);
    assert.ok(printed.stdout === committed, 'openapi.json is not up to date: run `npm run openapi`');
    assert.deepEqual([written.code, written.stdout, written.stderr], [0, '', `wrote ${file}\n`]);
    assert.ok(readFileSync(file, 'utf8') === committed);
    const paths = (text: string) => Object.keys(JSON.parse(text).paths).length;
    assert.ok(paths(community.stdout) < paths(printed.stdout));
  });

  it('ends with 3 where there is no store, and makes none', async () => {
    const commands = [['token'], ['reset-password', 'admin'], ['config', 'set', 'api.timeout_limit', '{}']];
    for (const { code, stderr } of await runMany(commands)) {
      assert.equal(code, 3);
      assert.equal(
        stderr,
        `kennel: there is no store in ${join(parent, 'none')}: start the server there first (kennel serve)\n`,
      );
    }
    assert.equal(existsSync(join(parent, 'none')), false);
  });

  it('ends with 3 when the database cannot be reached', async () => {
    const { code, stderr } = await run(['serve', '--json'], {
      DATABASE_URL: 'postgres://ann:hush@127.0.0.1:1/kennel',
    });
    assert.deepEqual([code, stderr], [3, 'kennel: the store cannot be reached\n']);
  });

  it('ends with 3 when its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const { code, stderr } = await run(['serve', '--log-level', 'silent', '--port', String(port)], {
      KENNEL_DATA_DIR: join(parent, 'taken'),
    });
    taken.close();
    assert.equal(code, 3, stderr);
    assert.match(stderr, new RegExp(`^kennel: port ${port} on 127\\.0\\.0\\.1 is in use`));
  });

  it('ends with 1 and tells where when something unforeseen goes wrong', async () => {
    const { code, stderr } = await run(['openapi', '--out', join(parent, 'no', 'such', 'folder')]);
    assert.equal(code, 1);
    assert.match(stderr, /^kennel: Error: ENOENT/);
    assert.match(stderr, /\n {4}at /);
  });
});
