import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { call, store, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, runKennel, serveKennel, within } from '../server/processes.ts';

const password = 'Correct-horse-battery-9';

async function signIn(url: string, secret = password): Promise<string> {
  const body = { login_method: 'secret', username: 'admin', secret };
  const answer = await call(url, 'POST', '/api/v2/login', { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.session_token;
}

const statusOfSelf = async (url: string, token: string) =>
  (await call(url, 'GET', '/api/v2/self', { token })).status;

const statusOfUnlimitedWait = async (url: string, token: string) =>
  (await call(url, 'GET', '/api/v2/self', { token, headers: { prefer: 'wait=-1' } })).status;

/** Asks until the answer is `status`; what is asked for counts from now. */
function withinOneSecond(status: number, ask: () => Promise<number>): Promise<unknown> {
  return within(1000, `${status} was not answered within one second`, async () =>
    (await ask()) === status ? status : undefined,
  );
}

describe('commands beside a running server', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let env: Record<string, string>;
  let server: KennelProcess;

  before(async () => {
    temporary = await temporaryStore();
    env = { ...temporary.env, KENNEL_ADMIN_PASSWORD: password };
    server = await serveKennel(env);
  });
  after(async () => {
    await server.end();
    await temporary.remove();
  });

  it('give out tokens that the server takes', async () => {
    const { code, stdout } = await runKennel(['token'], env);
    assert.equal(code, 0);
    await withinOneSecond(200, () => statusOfSelf(server.url, stdout.trim()));
  });

  it('write parameters that are in force within one second', async () => {
    const token = await signIn(server.url);
    assert.equal(await statusOfUnlimitedWait(server.url, token), 400);
    for (const [enabled, status] of [
      [false, 200],
      [true, 400],
    ] as const) {
      const value = JSON.stringify({ enabled });
      const { code, stdout } = await runKennel(['config', 'set', 'api.timeout_limit', value], env);
      assert.equal(code, 0);
      assert.equal(stdout, `api.timeout_limit = ${value}\n`);
      await withinOneSecond(status, () => statusOfUnlimitedWait(server.url, token));
    }
  });

  it('reset a password, which ends every session within one second', async () => {
    const token = await signIn(server.url);
    assert.equal(await statusOfSelf(server.url, token), 200);
    const { code, stdout } = await runKennel(['reset-password', 'admin'], env);
    assert.equal(code, 0);
    await withinOneSecond(401, () => statusOfSelf(server.url, token));
    const renewed = stdout.trim();
    assert.equal(await statusOfSelf(server.url, await signIn(server.url, renewed)), 200);
    const refused = { login_method: 'secret', username: 'admin', secret: password };
    assert.equal((await call(server.url, 'POST', '/api/v2/login', { body: refused })).status, 401);
  });

  it('find nothing to migrate', async () => {
    const { code, stdout } = await runKennel(['migrate'], env);
    assert.deepEqual([code, stdout], [0, 'the store is up to date\n']);
  });

  if (store === 'sqlite') {
    it('do not include a second server', async () => {
      const { code, stdout, stderr } = await runKennel(['serve', '--json'], env);
      assert.equal(code, 3);
      assert.equal(stdout, '');
      assert.equal(
        stderr,
        `kennel: another Kennel server is using ${env.KENNEL_DATA_DIR}: stop it, or choose another KENNEL_DATA_DIR\n`,
      );
      assert.equal((await call(server.url, 'GET', '/health/ready')).status, 200);
    });

    it('let another server in once the first has ended, however it ended', async () => {
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await server.end(signal);
        server = await serveKennel(env);
        assert.equal((await call(server.url, 'GET', '/health/ready')).status, 200);
      }
    });
  }
});

if (store === 'postgres') {
  describe('two servers on one database', () => {
    const parent = mkdtempSync(join(tmpdir(), 'kennel-test-'));
    const secret = randomBytes(32).toString('base64');
    let temporary: Awaited<ReturnType<typeof temporaryStore>>;
    let env: Record<string, string>;
    let here: KennelProcess;
    let there: KennelProcess;

    before(async () => {
      temporary = await temporaryStore();
      env = { ...temporary.env, KENNEL_SECRET: secret, KENNEL_ADMIN_PASSWORD: password };
      // Together, on an empty database.
      [here, there] = await Promise.all([
        serveKennel({ ...env, KENNEL_DATA_DIR: join(parent, 'here') }),
        serveKennel({ ...env, KENNEL_DATA_DIR: join(parent, 'there') }),
      ]);
    });
    after(async () => {
      await Promise.all([here?.end(), there?.end()]);
      await temporary.remove();
      rmSync(parent, { recursive: true, force: true });
    });

    it('take the tokens of each other', async () => {
      assert.notEqual(here.url, there.url);
      for (const { url } of [here, there])
        assert.equal((await call(url, 'GET', '/health/ready')).status, 200);
      assert.equal(await statusOfSelf(there.url, await signIn(here.url)), 200);
      assert.equal(await statusOfSelf(here.url, await signIn(there.url)), 200);
    });

    it('refuse a session that was ended through the other within one second', async () => {
      for (const [one, other] of [
        [here, there],
        [there, here],
      ] as const) {
        const token = await signIn(one.url);
        assert.equal(await statusOfSelf(other.url, token), 200);
        assert.equal((await call(one.url, 'POST', '/api/v2/logout', { token })).status, 200);
        await withinOneSecond(401, () => statusOfSelf(other.url, token));
        assert.equal(await statusOfSelf(one.url, token), 401);
      }
    });

    it('follow a parameter that was written through the other within one second', async () => {
      const token = await signIn(here.url);
      assert.equal(await statusOfUnlimitedWait(there.url, token), 400);
      for (const [enabled, status] of [
        [false, 200],
        [true, 400],
      ] as const) {
        const body = { key: 'api.timeout_limit', value: { enabled } };
        assert.equal((await call(here.url, 'PUT', '/api/v2/config', { token, body })).status, 200);
        await withinOneSecond(status, () => statusOfUnlimitedWait(there.url, token));
      }
    });

    it('are not joined by a process with another secret', async () => {
      const otherDir = join(parent, 'other');
      for (const changed of [{ KENNEL_SECRET: randomBytes(32).toString('base64') }, { KENNEL_SECRET: '' }]) {
        const { code, stdout, stderr } = await runKennel(['serve', '--json'], {
          ...env,
          KENNEL_DATA_DIR: otherDir,
          ...changed,
        });
        assert.equal(code, 3);
        assert.equal(stdout, '');
        assert.match(stderr, /All processes on one database must be given the same KENNEL_SECRET/);
      }
      assert.equal(existsSync(join(otherDir, 'initial-admin-password')), false);
      assert.equal(await statusOfSelf(here.url, await signIn(there.url)), 200);
    });

    it('go on when the other is killed', async () => {
      const token = await signIn(there.url);
      await there.end('SIGKILL');
      assert.equal(await statusOfSelf(here.url, token), 200);
      there = await serveKennel({ ...env, KENNEL_DATA_DIR: join(parent, 'there') });
      assert.equal(await statusOfSelf(there.url, token), 200);
    });
  });
}
