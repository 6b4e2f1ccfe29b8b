import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type MadeUser, makeUser, sharedPassword } from '../../../test/server/builders.ts';
import { type Answer, startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { commandLine } from '../../caller.ts';
import { tokenEffects } from '../api-tokens/index.ts';
import { setParameter } from '../app-config/index.ts';
import { sweepSignIns } from './sign-in-sweep.ts';

const minute = 60_000;
/** Headers that differ between any two answers; a time without milliseconds is four bytes shorter. */
const isOfThisAnswer = new Set(['date', 'x-request-id', 'requestid', 'content-length']);

describe('POST /api/v2/login, limits of an account', () => {
  let server: TestServer;
  let user: MadeUser;
  let lastAddress = 0;
  let now = 0;
  const advance = (ms: number) => {
    now += ms;
  };

  before(async () => {
    server = await startTestServer();
    // It stands still but for what a test does, so that waits can be compared to the second.
    now = server.now();
    Object.assign(server.deps, { clock: () => now });
    const write = { key: 'http.trusted_proxies', value: { trusted_proxies: 1 } };
    await setParameter(server.deps, server.deps.db, commandLine, write, tokenEffects, {
      allowProtected: true,
    });
  });

  beforeEach(async () => {
    user = await makeUser(server.deps);
    await forgetAll();
  });

  after(() => server.stop());

  const forgetAll = () => server.deps.db.transaction((db) => db.execute('delete from sign_in_attempts'));
  const newAddress = () => `198.51.${100 + Math.floor(++lastAddress / 250)}.${(lastAddress % 250) + 1}`;

  function login(username: string, secret = 'wrong', from = newAddress()): Promise<Answer> {
    return server.call('POST', '/api/v2/login', {
      body: { login_method: 'secret', username, secret },
      headers: { 'x-forwarded-for': from },
    });
  }

  /** Puts failures of a name, each from an address of its own, into the store as one real one would be there. */
  async function failElsewhere(username: string, times: number): Promise<void> {
    assert.equal((await login(username)).status, 401);
    await server.deps.db.transaction(async (db) => {
      const row = await db.one<{ name_hash: string; at: number; forget_at: number }>(
        'select name_hash, at, forget_at from sign_in_attempts order by at desc limit 1',
      );
      assert.ok(row !== undefined);
      const copies = Array.from({ length: times - 1 }, () => [
        randomUUID(),
        row.name_hash,
        newAddress(),
        row.at,
        row.forget_at,
        1,
      ]);
      await db.bulk('sign_in_attempts', ['id', 'name_hash', 'place', 'at', 'forget_at', 'failed'], copies);
    });
  }

  const retryAfter = ({ status, headers }: Answer) => {
    assert.equal(status, 429);
    return Number(headers.get('retry-after'));
  };

  const count = async (table: string) =>
    (await server.deps.db.one<{ number: number }>(`select cast(count(*) as bigint) as number from ${table}`))
      ?.number;

  it('answers 401 to ten from changing addresses, then makes each wait twice as long, up to five minutes', async () => {
    await failElsewhere(user.name, 10);
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
      assert.equal(retryAfter(await login(user.name)), seconds);
      assert.equal(retryAfter(await login(user.name, sharedPassword)), seconds, 'nothing is looked at');
      advance(seconds * 1000);
      assert.equal((await login(user.name)).status, 401);
    }
    advance(61 * minute);
    assert.equal((await login(user.name, sharedPassword)).status, 200);
  });

  it('answers 401 to fewer than thirty of 400 tries in an hour from changing addresses', async () => {
    let looked = 0;
    for (let tries = 0; tries < 400; tries += 1) {
      const { status } = await login(user.name);
      assert.ok(status === 401 || status === 429);
      if (status === 401) looked += 1;
      advance((60 * minute) / 400);
    }
    assert.ok(looked >= 10 && looked < 30, String(looked));
  });

  it('answers 200 to the right password from a place that has succeeded before, whatever goes on elsewhere', async () => {
    const office = '203.0.113.77';
    assert.equal((await login(user.name, sharedPassword, office)).status, 200);
    await failElsewhere(user.name, 40);
    retryAfter(await login(user.name, sharedPassword));
    assert.equal((await login(user.name, sharedPassword, office)).status, 200);
    const another = await makeUser(server.deps);
    await failElsewhere(another.name, 40);
    retryAfter(await login(another.name, sharedPassword, office));
    assert.equal((await login(user.name, sharedPassword, '2001:db8:7:7::1')).status, 429);
  });

  it('answers 429 per /64, however many addresses of it are used', async () => {
    for (let tries = 0; tries < 10; tries += 1)
      assert.equal((await login(user.name, 'wrong', `2001:db8:1:2::${tries}`)).status, 401);
    assert.ok(retryAfter(await login(user.name, 'wrong', '2001:db8:1:2:ffff::1')) > 30);
    advance(1000);
    assert.equal((await login(user.name, 'wrong', '2001:db8:1:3::1')).status, 401);
    await forgetAll();
    for (let tries = 0; tries < 100; tries += 1)
      assert.equal((await login(`name ${tries}`, 'wrong', `2001:db8:1:2::${tries}`)).status, 401);
    retryAfter(await login('never tried', 'wrong', '2001:db8:1:2::9999'));
  });

  it('answers a name that exists and one that does not alike in everything, over a whole sequence', async () => {
    const [known, unknown] = ['Zoë  Ångström', 'Noë  Ålander'];
    await makeUser(server.deps, 'User', { principalName: known, emailAddress: 'Zoe@Example.org' });
    const forms = (name: string): string[] => [
      name,
      name.toUpperCase(),
      name.toLowerCase(),
      name.normalize('NFD'),
      ` ${name}\t`,
      `\u00a0${name}`,
      name.replaceAll('  ', '\u00a0\u00a0'),
    ];
    const emails = ['zoe@example.org', 'ZOE@EXAMPLE.ORG'];
    const strangers = ['noe@example.org', 'NOE@EXAMPLE.ORG'];
    const run = async (names: readonly string[]) => {
      await forgetAll();
      const begin = now;
      const seen: { status: number; http_status: unknown; errors: unknown; told: unknown }[] = [];
      for (let round = 0; round < 5; round += 1) {
        for (const [index, name] of names.entries()) {
          // First all at once, then further and further apart.
          now = begin + round ** 2 * 20_000 * (names.length + index);
          const from = round < 2 ? '203.0.113.5' : `203.0.113.${100 + round * 10 + index}`;
          const { status, body, headers } = await login(name, 'wrong', from);
          const told = [...headers].filter(([header]) => !isOfThisAnswer.has(header));
          seen.push({ status, http_status: body.http_status, errors: body.errors, told });
        }
      }
      return seen;
    };
    const strange = await run([...forms(unknown), ...strangers]);
    const familiar = await run([...forms(known), ...emails]);
    assert.deepEqual(familiar, strange);
    const statuses = strange.map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)].sort(), [401, 429]);
  });

  it('answers 200 to 32 people at once from one address, and to one person 32 times at once', async () => {
    const people = await Promise.all(Array.from({ length: 32 }, () => makeUser(server.deps, 'User')));
    for (const names of [people.map(({ name }) => name), Array<string>(32).fill(user.name)]) {
      const answers = await Promise.all(names.map((name) => login(name, sharedPassword, '203.0.113.8')));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    }
    assert.equal(await count('sign_in_attempts'), 0);
  });

  it('answers 200 to right passwords at once with as many wrong ones as one address may have', async () => {
    const people = await Promise.all(Array.from({ length: 16 }, () => makeUser(server.deps, 'User')));
    const from = '203.0.113.9';
    const wrong = people.flatMap((_, index) =>
      [0, 1].map((tries) => login(`nobody ${index}`, `${tries}`, from)),
    );
    const right = people.map(({ name }) => login(name, sharedPassword, from));
    assert.deepEqual([...new Set((await Promise.all(right)).map(({ status }) => status))], [200]);
    assert.deepEqual([...new Set((await Promise.all(wrong)).map(({ status }) => status))], [401]);
  });

  it('answers 200 as soon as ever after the clock is set back by a day', async () => {
    await failElsewhere(user.name, 20);
    const here = '203.0.113.10';
    for (let tries = 0; tries < 10; tries += 1)
      assert.equal((await login('somebody else', 'wrong', here)).status, 401);
    advance(-24 * 60 * minute);
    assert.equal(retryAfter(await login(user.name, sharedPassword)), 300);
    assert.equal(retryAfter(await login('somebody else', 'wrong', here)), 60);
    advance(minute);
    assert.equal((await login('somebody else', 'wrong', here)).status, 401);
    advance(4 * minute);
    assert.equal((await login(user.name, sharedPassword)).status, 200);
    advance(24 * 60 * minute);
  });

  describe('what is stored', () => {
    it('is forgotten after an hour, and bounded in number', async () => {
      await failElsewhere(user.name, 30);
      await sweepSignIns(server.deps);
      assert.equal(await count('sign_in_attempts'), 30);
      advance(minute);
      await failElsewhere('another', 5);
      await sweepSignIns(server.deps, 5);
      assert.equal(await count('sign_in_attempts'), 5);
      advance(60 * minute);
      await sweepSignIns(server.deps);
      assert.equal(await count('sign_in_attempts'), 0);
    });

    it('are the last twenty places of a user, for ninety days', async () => {
      const places = async () =>
        (
          await server.deps.db.query<{ place: string }>(
            'select place from sign_in_places where user_id = $1 order by place',
            [user.id],
          )
        ).map(({ place }) => place);
      for (let i = 0; i < 22; i += 1) {
        advance(1000);
        assert.equal((await login(user.name, sharedPassword, `192.0.2.${100 + i}`)).status, 200);
      }
      const expected = Array.from({ length: 20 }, (_, i) => `192.0.2.${102 + i}`);
      assert.deepEqual(await places(), expected);
      advance(90 * 24 * 60 * minute);
      await sweepSignIns(server.deps);
      assert.deepEqual(await places(), []);
    });
  });
});
