import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { store } from '../../../test/server/harness.ts';
import { openEmptyStores, runScript, type TestStores } from '../../../test/server/stores.ts';
import { prepareStores } from '../../bootstrap.ts';
import { knownMigrations } from '../../db/migrate.ts';
import { parameters } from './parameters.ts';

const now = 1_700_000_000_000;

describe(`the parameters of a store of an earlier version, on ${store}`, () => {
  let stores: TestStores;

  beforeEach(async () => {
    stores = await openEmptyStores();
    await runScript(
      stores.db,
      `create table schema_migrations (store text not null, number integer not null, name text not null,
         applied_at bigint not null, primary key (store, number));`,
    );
    for (const { number, name, script } of knownMigrations('main').filter(({ number }) => number < 7)) {
      await runScript(stores.db, script);
      await stores.db.transaction((db) =>
        db.execute(
          `insert into schema_migrations (store, number, name, applied_at) values ('main', $1, $2, 0)`,
          [number, name],
        ),
      );
    }
  });
  afterEach(() => stores.remove());

  it('keep their values and times, and get ids', async () => {
    const insert = 'insert into parameters (key, value, created_at, updated_at) values ($1, $2, $3, $4)';
    await stores.db.transaction(async (db) => {
      await db.execute(insert, ['prune.ttl', '{"base_ttl":"P9D","has_session_edge_ttl":"P2D"}', 1, 2]);
      await db.execute(insert, ['api.timeout_limit', '{"enabled":false}', 3, 4]);
    });
    const applied = await prepareStores(stores, stores.settings, now);
    assert.ok(applied.includes('main/0007_features.sql'));
    const rows = await stores.db.query<{ id: number; key: string }>(
      'select id, key, value, created_at, updated_at from parameters order by id',
    );
    assert.deepEqual(
      rows.slice(0, 2).map((row) => ({ ...row })),
      [
        { id: 1, key: 'api.timeout_limit', value: '{"enabled":false}', created_at: 3, updated_at: 4 },
        {
          id: 2,
          key: 'prune.ttl',
          value: '{"base_ttl":"P9D","has_session_edge_ttl":"P2D"}',
          created_at: 1,
          updated_at: 2,
        },
      ],
    );
    assert.deepEqual(rows.map(({ key }) => key).sort(), Object.keys(parameters).sort());
  });
});
