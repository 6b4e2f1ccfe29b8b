import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createDeps } from '../../src/bootstrap.ts';
import { readSettings } from '../../src/config.ts';
import { openStores, type Stores } from '../../src/db/open.ts';
import type { Deps } from '../../src/deps.ts';
import { createLog } from '../../src/log.ts';
import { type MadeUser, makeProvider, makeUser, roleId } from '../server/builders.ts';
import { call, store, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, serveKennel } from '../server/processes.ts';

/** On SQLite there is one process; on PostgreSQL the attempts go to two. */
const processes = store === 'postgres' ? 2 : 1;

describe('20 concurrent attempts to remove the last two administrators', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let servers: KennelProcess[] = [];
  let stores: Stores;
  let deps: Deps;
  /** May manage users, but signs in through a provider, and so is not one of those who must be left. */
  let outsider: MadeUser;
  let ssoProviderId: number;

  before(async () => {
    temporary = await temporaryStore();
    const env = {
      ...temporary.env,
      KENNEL_SECRET: randomBytes(32).toString('base64'),
      KENNEL_ADMIN_PASSWORD: 'Correct-horse-battery-9',
    };
    servers = [await serveKennel(env)];
    while (servers.length < processes) servers.push(await serveKennel(env));
    const settings = readSettings(env);
    stores = openStores(settings);
    deps = await createDeps(stores, settings, createLog(settings), () => '');
    ssoProviderId = (await makeProvider(deps)).ssoProviderId;
    outsider = await makeUser(deps, 'Administrator', { ssoProviderId });
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.end()));
    await stores.close();
    await temporary.remove();
  });

  const ways: [method: string, path: string, body?: object][] = [
    ['DELETE', ''],
    ['PATCH', '', { is_disabled: true }],
    ['PATCH', '', { roles: [roleId('Read-Only')] }],
    ['DELETE', '/secret'],
  ];
  const allWays = () => [...ways, ['PATCH', '', { sso_provider_id: ssoProviderId }] as const];

  const able = async () =>
    (
      await deps.db.query<{ principal_name: string }>(
        `select u.principal_name from users u join auth_secrets a on a.user_id = u.id
         where u.role_id = ${roleId('Administrator')} and u.is_disabled = 0 and u.sso_provider_id is null and a.locked = 0`,
      )
    ).map((row) => row.principal_name);

  for (let round = 1; round <= 4; round += 1) {
    it(`leave one (round ${round})`, async () => {
      const pair = [await makeUser(deps), await makeUser(deps)];
      // Everybody else who could be the one that is left.
      for (const name of (await able()).filter((name) => !pair.some((user) => user.name === name)))
        await deps.db.transaction((db) =>
          db.execute('update users set is_disabled = 1 where principal_name = $1', [name]),
        );
      const attempts = allWays().flatMap(([method, path, body], index) =>
        [0, 1, 0, 1].map((victim, turn) => {
          const { url } = servers[(index + turn) % servers.length] as KennelProcess;
          // Half of the attempts come from the two themselves.
          const caller = turn < 2 ? outsider : (pair[1 - victim] as MadeUser);
          return call(url, method, `/api/v2/bloodhound-users/${pair[victim]?.id}${path}`, {
            token: caller.token,
            body,
          });
        }),
      );
      assert.equal(attempts.length, 20);
      const statuses = (await Promise.all(attempts)).map(({ status }) => status);
      const left = await able();
      assert.equal(left.length, 1, `${left} after ${statuses}`);
      assert.ok(statuses.includes(200) && statuses.includes(409), String(statuses));
      // Gone, signed out or demoted meanwhile: all fair. A defect is not.
      for (const status of statuses) assert.ok([200, 401, 403, 404, 409].includes(status), String(status));
    });
  }
});
