import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createDeps } from '../../src/bootstrap.ts';
import { readSettings } from '../../src/config.ts';
import { openStores } from '../../src/db/open.ts';
import type { Deps } from '../../src/deps.ts';
import { createLog } from '../../src/log.ts';
import { type MadeUser, makeClient, makeSigningToken, makeUser } from '../server/builders.ts';
import { type Answer, call, store, temporaryStore } from '../server/harness.ts';
import { type Ended, type KennelProcess, runKennel, serveKennel } from '../server/processes.ts';

type TemporaryStore = Awaited<ReturnType<typeof temporaryStore>>;

const passwordFile = (env: Record<string, string>) =>
  join(env.KENNEL_DATA_DIR ?? '', 'initial-admin-password');
const signIn = (url: string, username: string, secret: string) =>
  call(url, 'POST', '/api/v2/login', { body: { login_method: 'secret', username, secret } });

/** The one line of JSON that a command printed. */
function jsonLine({ code, stdout, stderr }: Ended): Answer['body'] {
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\{.*\}\n$/);
  return JSON.parse(stdout);
}

describe('kennel on a new store', () => {
  let temporary: TemporaryStore;
  before(async () => {
    temporary = await temporaryStore();
  });
  after(() => temporary.remove());

  it('migrates it, once', async () => {
    const { env } = temporary;
    if (store === 'postgres') {
      const early = await runKennel(['token'], env);
      assert.equal(early.code, 3);
      assert.match(early.stderr, /^kennel: the store is not up to date: run `kennel migrate`/);
    }
    const first = await runKennel(['migrate'], env);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    assert.match(first.stdout, /^main\/0001_\w+\.sql\n/);
    assert.match(first.stdout, /^graph\/0001_\w+\.sql$/m);
    assert.deepEqual(jsonLine(await runKennel(['migrate', '--json'], env)), { applied: [] });
  });

  it('has no administrator before its first start', async () => {
    const { code, stdout, stderr } = await runKennel(['token'], temporary.env);
    assert.deepEqual([code, stdout, stderr], [3, '', 'kennel: there is no user admin\n']);
  });

  it('does not start with a weak first password, and starts with a good one', async () => {
    const env = { ...temporary.env, KENNEL_ADMIN_PASSWORD: 'weak' };
    const { code, stdout, stderr } = await runKennel(['serve', '--json'], env);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^kennel: KENNEL_ADMIN_PASSWORD: the password must have at least 12 characters, /);

    const password = 'Correct-horse-battery-9';
    const server = await serveKennel({ ...env, KENNEL_ADMIN_PASSWORD: password });
    assert.equal((await signIn(server.url, 'admin', password)).status, 200);
    assert.equal((await server.end()).code, 0);
    assert.equal(existsSync(passwordFile(env)), false);
    // It counts only while there is no administrator.
    const again = await serveKennel(env);
    assert.equal((await signIn(again.url, 'admin', password)).status, 200);
    assert.equal((await again.end()).code, 0);
  });
});

describe('kennel and its running server', () => {
  let temporary: TemporaryStore;
  let env: Record<string, string>;
  let server: KennelProcess;
  let deps: Deps;
  let collector: MadeUser;

  before(async () => {
    temporary = await temporaryStore();
    env = temporary.env;
    server = await serveKennel({ ...env, KENNEL_LOG_LEVEL: 'info', KENNEL_METRICS_PORT: '0' });
    const settings = readSettings(env);
    deps = await createDeps(openStores(settings), settings, createLog(settings), () => '');
    collector = await makeClient(deps);
  });
  after(async () => {
    await server.end('SIGKILL');
    await deps.db.close();
    await deps.graph.close();
    await temporary.remove();
  });

  const self = (token: string) => call(server.url, 'GET', '/api/v2/self', { token });
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, number>;

  it('tells where it listens once it is ready', async () => {
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(server.ready.metrics_url ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await call(server.url, 'GET', '/health/ready')).status, 200);
    const metrics = await fetch(`${server.ready.metrics_url}/metrics`);
    assert.equal(metrics.status, 200);
    await metrics.text();
  });

  it('keeps the first password in a file that only its owner can read', async () => {
    const file = passwordFile(env);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const password = readFileSync(file, 'utf8').trim();
    assert.equal((await signIn(server.url, 'admin', password)).status, 200);
  });

  it('prints tokens of users and collectors', async () => {
    const plain = await runKennel(['token'], env);
    assert.deepEqual([plain.code, plain.stderr], [0, '']);
    assert.equal((await self(plain.stdout.trim())).body.data.principal_name, 'admin');

    const { name } = await makeUser(deps, 'Read-Only');
    const ofUser = jsonLine(await runKennel(['token', '--user', name, '--ttl', 'PT90M', '--json'], env));
    assert.equal((await self(ofUser.token)).body.data.principal_name, name);
    const { iat = 0, exp = 0 } = claimsOf(ofUser.token);
    assert.equal(exp - iat, 90 * 60);
    assert.equal(Math.floor(Date.parse(ofUser.expires_at) / 1000), exp);

    const ofClient = jsonLine(await runKennel(['token', '--client', collector.name, '--json'], env));
    assert.equal((await self(ofClient.token)).body.data.name, collector.name);
    const claims = claimsOf(ofClient.token);
    assert.equal(Number(claims.exp) - Number(claims.iat), 3600);
    const records = await deps.db.query("select actor_kind from audit_log where action = 'IssueToken'");
    assert.deepEqual([...records], Array(3).fill({ actor_kind: 'command' }));
  });

  it('prints no token of whom there is not, or who may not sign in', async () => {
    const { name } = await makeUser(deps, 'User', { isDisabled: true });
    for (const [args, message] of [
      [['--user', 'nobody'], 'there is no user nobody'],
      [['--client', 'nobody'], 'there is no collector nobody'],
      [['--user', name], `user ${name} is disabled`],
    ] as const) {
      const { code, stdout, stderr } = await runKennel(['token', ...args], env);
      assert.deepEqual([code, stdout, stderr], [3, '', `kennel: ${message}\n`]);
    }
  });

  it('writes parameters, the protected ones too, but no wrong ones', async () => {
    const set = (key: string, value: string, ...more: string[]) =>
      runKennel(['config', 'set', key, value, ...more], env);
    const stored = jsonLine(await set('auth.api_tokens', '{"enabled":false}', '--json'));
    assert.deepEqual(stored, { key: 'auth.api_tokens', value: { enabled: false } });
    for (const [key, value, message] of [
      ['auth.api_tokens', '{"enabled":"no"}', /^kennel: value\.enabled must be/],
      ['no.such_key', '{}', /^kennel: there is no configuration parameter "no\.such_key"\n$/],
      ['auth.session_ttl_hours', '{"hours":0}', /^kennel: value\.hours must be/],
    ] as const) {
      const { code, stdout, stderr } = await set(key, value);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, message);
    }
  });

  it('takes a password from standard input, if it is strong enough', async () => {
    const { name } = await makeUser(deps, 'User');
    const reset = (input: string) => runKennel(['reset-password', name, '--stdin'], env, input);
    for (const weak of ['short\n', '', 'no-upper-case-letter-1']) {
      const { code, stdout, stderr } = await reset(weak);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, /^kennel: the password must have /);
    }
    const { code, stdout, stderr } = await reset('A new passphrase, 42\n');
    assert.deepEqual([code, stdout, stderr], [0, '', `the password of ${name} is changed\n`]);
    assert.equal((await signIn(server.url, name, 'A new passphrase, 42')).status, 200);
  });

  it('suspends the API tokens of the user, or keeps them', async () => {
    const { id, name } = await makeUser(deps, 'User');
    await makeSigningToken(deps, { userId: id });
    const suspended = async () =>
      (await deps.db.one<{ suspended: number }>('select suspended from api_tokens where user_id = $1', [id]))
        ?.suspended;
    assert.equal((await runKennel(['reset-password', name], env)).code, 0);
    assert.equal(await suspended(), 1);
    assert.equal((await runKennel(['reset-password', name, '--keep-tokens'], env)).code, 0);
    assert.equal(await suspended(), 0);
  });

  it('makes a password up, and forgets the first one', async () => {
    const missing = await runKennel(['reset-password', 'nobody'], env);
    assert.deepEqual(
      [missing.code, missing.stdout, missing.stderr],
      [3, '', 'kennel: there is no user nobody\n'],
    );

    const { username, password } = jsonLine(await runKennel(['reset-password', 'admin', '--json'], env));
    assert.equal(username, 'admin');
    assert.equal((await signIn(server.url, 'admin', password)).status, 200);
    assert.equal(existsSync(passwordFile(env)), false);
  });

  it('ends with 0 when it is told to, and says so in its log', async () => {
    const { code, signal, stdout, stderr } = await server.end('SIGTERM');
    assert.deepEqual([code, signal], [0, null]);
    assert.equal(stdout.split('\n').length, 2, 'one line');
    const log = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const made = log.find((record) => record.user === 'admin');
    assert.equal(made.file, passwordFile(env));
    assert.deepEqual(
      log.slice(-2).map(({ msg }) => msg),
      ['shutting down', 'audit log head'],
    );
    assert.ok(
      log.every((record) => record.level === 'info'),
      stderr,
    );
  });

  it('ends with 0 on SIGINT too', async () => {
    const again = await serveKennel(env);
    assert.equal((await call(again.url, 'GET', '/health/live')).status, 200);
    assert.equal((await again.end('SIGINT')).code, 0);
  });
});
