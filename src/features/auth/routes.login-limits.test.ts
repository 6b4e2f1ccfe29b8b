import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser, sharedPassword } from '../../../test/server/builders.ts';
import { type Answer, startTestServer, type TestServer } from '../../../test/server/harness.ts';

describe('POST /api/v2/login, limits', () => {
  let server: TestServer;
  let user: MadeUser;

  before(async () => {
    server = await startTestServer();
  });

  beforeEach(async () => {
    user = await makeUser(server.deps);
    await server.deps.db.transaction((db) => db.execute('delete from sign_in_attempts'));
  });

  after(() => server.stop());

  interface Attempt {
    username?: string;
    secret?: string;
    at?: TestServer;
    forwardedFor?: string;
  }

  function login({ username = user.name, secret = 'wrong', at = server, forwardedFor }: Attempt = {}) {
    return at.call('POST', '/api/v2/login', {
      body: { login_method: 'secret', username, secret },
      ...(forwardedFor === undefined ? {} : { headers: { 'x-forwarded-for': forwardedFor } }),
    });
  }

  const attempts = async () => (await server.deps.db.query('select id from sign_in_attempts')).length;

  async function fail(times: number, attempt: Attempt = {}): Promise<void> {
    for (let i = 0; i < times; i += 1) assert.equal((await login(attempt)).status, 401, `failure ${i + 1}`);
  }

  /** One real failure and copies of it in the store: hashing for every one would take seconds. */
  async function failOften(times: number, attempt: Attempt = {}): Promise<void> {
    await fail(1, attempt);
    const columns = ['name_hash', 'place', 'at', 'forget_at', 'failed'] as const;
    await server.deps.db.transaction(async (db) => {
      const row = await db.one<Record<(typeof columns)[number], string | number>>(
        `select ${columns.join(', ')} from sign_in_attempts order by at desc limit 1`,
      );
      assert.ok(row !== undefined);
      const values = columns.map((column) => row[column]);
      const copies = Array.from({ length: times - 1 }, () => [randomUUID(), ...values]);
      await db.bulk('sign_in_attempts', ['id', ...columns], copies);
    });
  }

  function checkRefused({ status, headers, body }: Answer, atMost = 60): number {
    assert.equal(status, 429);
    assert.deepEqual(body.errors, [
      {
        context: 'Login',
        message: 'too many failed sign-ins: wait as many seconds as Retry-After says and try again',
      },
    ]);
    const seconds = Number(headers.get('retry-after'));
    assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= atMost, String(seconds));
    return seconds;
  }

  it('answers 200 and forgets its own attempt, but not the failures before it', async () => {
    await failOften(9);
    assert.equal((await login({ secret: sharedPassword })).status, 200);
    assert.equal(await attempts(), 9);
    await fail(1);
    checkRefused(await login({ secret: sharedPassword }));
  });

  it('answers 200 as often as one likes', async () => {
    for (let i = 0; i < 12; i += 1) assert.equal((await login({ secret: sharedPassword })).status, 200);
    assert.equal(await attempts(), 0);
  });

  it('answers 200 again once the time that it told is over, and never before a place is free', async () => {
    await login({ username: 'somebody else' });
    server.advance(30_000);
    await fail(1);
    server.advance(10_000);
    await failOften(9);
    const seconds = checkRefused(await login({ secret: sharedPassword }));
    // The first failure of this name was ten seconds ago and more; that of another name does not matter.
    assert.ok(seconds > 40 && seconds <= 50, String(seconds));
    server.advance((seconds - 10) * 1000);
    checkRefused(await login({ secret: sharedPassword }));
    server.advance(10_000);
    assert.equal((await login({ secret: sharedPassword })).status, 200);
  });

  it('answers 401 ten times and then 429, for a name that exists and for one that does not', async () => {
    for (const username of [user.name, 'nobody-at-all']) {
      await fail(10, { username });
      checkRefused(await login({ username }));
      checkRefused(await login({ username, secret: sharedPassword }));
    }
    assert.equal(await attempts(), 20, 'a refusal is not another attempt');
  });

  it('answers 401 to another name while one is refused', async () => {
    await failOften(10);
    checkRefused(await login());
    assert.equal((await login({ username: 'another' })).status, 401);
  });

  it('answers 401 again after a minute', async () => {
    await failOften(10);
    server.advance(50_000);
    checkRefused(await login());
    server.advance(10_000);
    assert.equal((await login()).status, 401);
  });

  it('answers 403 for a disabled user ten times at most', async () => {
    const disabled = await makeUser(server.deps, 'User', { isDisabled: true });
    const attempt = { username: disabled.name, secret: sharedPassword };
    await failOften(9, { username: disabled.name });
    assert.equal((await login(attempt)).status, 403);
    checkRefused(await login(attempt));
  });

  it('answers 429 whatever the case of the name and the blanks around it', async () => {
    for (const username of ['name-x', 'NAME-X', ' Name-x ', '\tname-X', 'nAmE-x\n'])
      await failOften(2, { username });
    checkRefused(await login({ username: 'name-x' }));
  });

  it('answers 429 whatever X-Forwarded-For says, as long as no proxy is trusted', async () => {
    for (let i = 0; i < 5; i += 1) await failOften(2, { forwardedFor: `203.0.113.${i}` });
    checkRefused(await login({ forwardedFor: '203.0.113.99' }));
  });

  it('answers 429 per address behind a trusted proxy', async () => {
    await trustProxies(1);
    try {
      await failOften(10, { forwardedFor: '203.0.113.1' });
      checkRefused(await login({ forwardedFor: '203.0.113.1' }));
      server.advance(1000);
      assert.equal((await login({ forwardedFor: '203.0.113.2' })).status, 401);
    } finally {
      await trustProxies(0);
    }
  });

  async function trustProxies(count: number): Promise<void> {
    await server.deps.db.transaction(async (db) => {
      const value = JSON.stringify({ trusted_proxies: count });
      await db.execute('update parameters set value = $1 where key = $2', [value, 'http.trusted_proxies']);
      await server.deps.changes.announce(db);
    });
  }

  it('answers 429 to any name after a hundred failures of one address', async () => {
    for (let i = 0; i < 11; i += 1) await failOften(9, { username: `name-${i}` });
    await fail(1);
    assert.equal(await attempts(), 100);
    checkRefused(await login({ username: 'never tried before' }));
    checkRefused(await login({ secret: sharedPassword }));
  });

  it('answers 429 and records nothing', async () => {
    await failOften(10);
    const before = (await auditRows(server.deps)).length;
    checkRefused(await login());
    assert.equal((await auditRows(server.deps)).length, before);
  });

  it('answers 429 on another process that uses the same store', async () => {
    const { dataDir, databaseUrl } = server.deps.settings;
    const beside = await startTestServer({
      KENNEL_DATA_DIR: dataDir,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    });
    try {
      beside.advance(server.now() - beside.now());
      await failOften(5);
      await failOften(5, { at: beside });
      checkRefused(await login({ at: beside }));
      checkRefused(await login());
    } finally {
      await beside.stop();
    }
  });

  it('answers 401 to ten of thirty attempts at the same time and 429 to the others', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => login()));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(401), count(429)], [10, 20]);
    assert.equal(await attempts(), 10);
  });
});
