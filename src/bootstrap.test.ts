import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { store } from '../test/server/harness.ts';
import { openEmptyStores, type TestStores } from '../test/server/stores.ts';
import { createDeps, prepareStores, StartError } from './bootstrap.ts';
import type { Reader } from './db/client.ts';
import type { Deps } from './deps.ts';
import { roles, Tokens } from './features/auth/index.ts';
import { passwordMatches, passwordProblems } from './features/auth/passwords.ts';
import {
  ensureAdministrator,
  firstAdministratorName,
  insertUser,
  PasswordError,
} from './features/users/index.ts';
import { createLog } from './log.ts';

const now = 1_700_000_000_000;
const hour = 3_600_000;
let stores: TestStores;

beforeEach(async () => {
  stores = await openEmptyStores();
  await prepareStores(stores, stores.settings, now);
});
afterEach(() => stores.remove());

function depsWith(secret?: Buffer, previousSecret?: Buffer): Promise<Deps> {
  const settings = { ...stores.settings, secret, previousSecret };
  return createDeps(stores, settings, createLog(settings), () => '');
}

const count = async (db: Reader, table: string) =>
  (await db.one<{ count: number }>(`select cast(count(*) as bigint) as count from ${table}`))?.count;

describe('prepareStores', () => {
  const seeded = [
    'roles',
    'permissions',
    'role_permissions',
    'parameters',
    'feature_flags',
    'custom_node_kinds',
  ];
  const facts = async () => {
    const rows = await stores.db.query<{ name: string; value: string }>(
      'select name, value from instance_facts',
    );
    return Object.fromEntries(rows.map((row) => [row.name, row.value]));
  };
  const counter = async () =>
    (await stores.db.one<{ value: number }>('select value from change_counter'))?.value;

  /** Moves with every write to a store, whatever is written. */
  async function writeMarks(): Promise<unknown[]> {
    const marks: unknown[] = [];
    if (store === 'sqlite') {
      for (const db of [stores.db, stores.graph]) marks.push(await db.one('pragma data_version'));
    } else {
      for (const table of [...seeded, 'instance_facts', 'change_counter', 'asset_group_tags'])
        marks.push([...(await stores.db.query(`select xmin::text as written_by from ${table}`))]);
    }
    return marks;
  }

  it('puts in place what the program needs to work', async () => {
    for (const table of seeded) assert.ok(Number(await count(stores.db, table)) > 0, table);
    assert.equal(await count(stores.graph, 'asset_group_tags'), 1);
    assert.match((await facts()).instance_id ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(await counter(), 1);
  });

  it('writes nothing at the next start', async () => {
    const before = await writeMarks();
    const other = stores.openAgain();
    assert.deepEqual(await prepareStores(other, stores.settings, now + hour), []);
    assert.deepEqual(await writeMarks(), before);
  });

  it('brings what is built in up to date when the program says something else, and keeps the rest', async () => {
    const before = await facts();
    await stores.db.transaction(async (db) => {
      await db.execute("update instance_facts set value = 'of an older version' where name = 'seed'");
      await db.execute('delete from role_permissions');
      await db.execute("update custom_node_kinds set icon_color = '#000' where kind_name = 'User'");
      await db.execute("update parameters set value = $1 where key = 'auth.session_ttl_hours'", [
        '{"hours":3}',
      ]);
    });
    await prepareStores(stores, stores.settings, now + hour);
    assert.deepEqual(await facts(), before);
    const permissions = roles.reduce((sum, role) => sum + role.permissions.length, 0);
    assert.equal(await count(stores.db, 'role_permissions'), permissions);
    assert.deepEqual(
      await stores.db.one("select icon_color from custom_node_kinds where kind_name = 'User'"),
      { icon_color: '#17E625' },
    );
    assert.deepEqual(
      await stores.db.one("select value from parameters where key = 'auth.session_ttl_hours'"),
      { value: '{"hours":3}' },
    );
    assert.equal(await counter(), 2);
  });
});

describe('the secret of a store (gap 8.4)', () => {
  const refusal =
    /All processes on one database must be given the same KENNEL_SECRET .* give the old one as KENNEL_SECRET_PREVIOUS/;
  const [old, fresh] = [randomBytes(32), randomBytes(32)];

  it('is the first that a process brings; a process with another one is refused', async () => {
    const { instanceId } = await depsWith(old);
    assert.equal((await depsWith(old)).instanceId, instanceId);
    await assert.rejects(depsWith(fresh), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, refusal);
      return true;
    });
    // Its own secret file is another secret as well.
    await assert.rejects(depsWith(), StartError);
    assert.equal((await depsWith(old)).instanceId, instanceId);
  });

  it('is only recognised by the store, not kept in it', async () => {
    await depsWith(old);
    const rows = await stores.db.query<{ value: string }>('select value from instance_facts');
    for (const { value } of rows) {
      assert.ok(!value.includes(old.toString('base64')) && !value.includes(old.toString('hex')));
    }
  });

  it('changes when the old one is given too, and tokens of the old one stay good until then', async () => {
    const before = await depsWith(old);
    const claims = { audience: 'user', subject: 's', sessionId: 'j', expiresAt: Date.now() + hour } as const;
    const sign = (deps: Deps) => new Tokens(deps.keys, deps.instanceId, Date.now).sign(claims, Date.now());
    const verify = async (deps: Deps, token: string) =>
      (await new Tokens(deps.keys, deps.instanceId, Date.now).verify(token))?.sessionId;
    const token = await sign(before);

    const rotated = await depsWith(fresh, old);
    assert.equal(await verify(rotated, token), 'j');
    const newToken = await sign(rotated);
    assert.equal(await verify(before, newToken), undefined);
    await assert.rejects(depsWith(old), StartError);

    const settled = await depsWith(fresh);
    assert.equal(await verify(settled, newToken), 'j');
    assert.equal(await verify(settled, token), undefined);
  });

  it('does not change when neither the new nor the old one is known', async () => {
    await depsWith(old);
    await assert.rejects(depsWith(fresh, randomBytes(32)), StartError);
    await depsWith(old);
  });
});

describe('the first administrator (gap 8.3)', () => {
  const good = 'Correct-horse-battery-9';
  const deps = () => ({ db: stores.db, clock: () => now });
  const digest = async () =>
    (
      await stores.db.one<{ digest: string }>(
        'select digest from auth_secrets a join users u on u.id = a.user_id where principal_name = $1',
        [firstAdministratorName],
      )
    )?.digest;

  it('gets the password that is given', async () => {
    assert.deepEqual(await ensureAdministrator(deps(), good), { created: true, password: undefined });
    assert.equal(await passwordMatches(await digest(), good), true);
    assert.deepEqual(
      await stores.db.one('select u.principal_name, r.name from users u join roles r on r.id = u.role_id'),
      { principal_name: 'admin', name: 'Administrator' },
    );
    assert.deepEqual(
      [...(await stores.db.query('select action, outcome, actor_kind from audit_log'))],
      [{ action: 'CreateUser', outcome: 'success', actor_kind: 'command' }],
    );
  });

  it('is not made with a weak password', async () => {
    for (const weak of ['short', 'nodigits-NoDigits', 'correct-horse-battery-9', 'CorrectHorseBattery9']) {
      await assert.rejects(ensureAdministrator(deps(), weak), PasswordError, weak);
    }
    assert.equal(await count(stores.db, 'users'), 0);
    assert.equal(await count(stores.db, 'audit_log'), 0);
  });

  it('gets a random password that meets the rule when none is given, and it is told once', async () => {
    const { created, password = '' } = await ensureAdministrator(deps(), undefined);
    assert.equal(created, true);
    assert.deepEqual(passwordProblems(password), []);
    assert.equal(await passwordMatches(await digest(), password), true);
    assert.deepEqual(await ensureAdministrator(deps(), undefined), { created: false, password: undefined });
  });

  it('is made only while there is no administrator, able or not', async () => {
    await ensureAdministrator(deps(), good);
    const before = await digest();
    assert.deepEqual(await ensureAdministrator(deps(), 'Another-password-77'), {
      created: false,
      password: undefined,
    });
    // A password that does not count is not checked either.
    assert.equal((await ensureAdministrator(deps(), 'weak')).created, false);
    await stores.db.transaction((db) => db.execute('update users set is_disabled = 1'));
    assert.equal((await ensureAdministrator(deps(), good)).created, false);
    assert.equal(await digest(), before);
    assert.equal(await count(stores.db, 'users'), 1);
  });

  it('is made beside users who are no administrators', async () => {
    const reader = roles.find(({ name }) => name === 'Read-Only')?.id ?? 0;
    await stores.db.transaction((db) => insertUser(db, { principalName: 'ada', roleId: reader }, now));
    assert.equal((await ensureAdministrator(deps(), good)).created, true);
    assert.equal(await count(stores.db, 'users'), 2);
  });

  it('is made once when several processes start together', async () => {
    const handles = [stores.db, stores.openAgain().db, stores.openAgain().db];
    const made = await Promise.all(
      handles.map((db) => ensureAdministrator({ db, clock: () => now }, undefined)),
    );
    assert.equal(made.filter(({ created }) => created).length, 1);
    const [password = ''] = made.flatMap(({ password }) => password ?? []);
    assert.equal(await passwordMatches(await digest(), password), true);
    assert.equal(await count(stores.db, 'users'), 1);
  });
});
