import { createHash, randomUUID } from 'node:crypto';
import { serverItself } from './caller.ts';
import { Changes } from './changes.ts';
import { noteClock } from './clock-hold.ts';
import type { Settings } from './config.ts';
import type { Transaction } from './db/client.ts';
import { migrateStores, type Stores } from './db/open.ts';
import type { Deps } from './deps.ts';
import { resealTokens } from './features/api-tokens/index.ts';
import { parameters, seedParameters } from './features/app-config/index.ts';
import {
  beginChain,
  beginRemovals,
  findNewestRecordAt,
  recordAudit,
  resealMarks,
} from './features/audit/index.ts';
import { resealSeeds, roles, seedRoles } from './features/auth/index.ts';
import { seedBuiltInKinds } from './features/custom-nodes/index.ts';
import { featureFlags, seedFeatureFlags } from './features/feature-flags/index.ts';
import { seedTags } from './features/zones/index.ts';
import { builtInKinds } from './graph/kinds.ts';
import { findFact, putFact } from './instance-facts.ts';
import { type Keys, loadKeys } from './keys.ts';
import type { Logger } from './log.ts';

/** A store that this process must not use; the message tells the operator what to do. */
export class StartError extends Error {}

/** Brings a store up to this version of the program: schema first, then the rows it needs to work. */
export async function prepareStores(stores: Stores, settings: Settings, now: number): Promise<string[]> {
  const applied = await migrateStores(stores, settings, now);
  await stores.db.transaction(async (db) => {
    await db.lock('kennel: seed');
    if ((await findFact(db, 'seed')) === seedFingerprint) return;
    await db.execute('insert into change_counter (id, value) values (1, 0) on conflict (id) do nothing');
    await putFact(db, 'instance_id', (await findFact(db, 'instance_id')) ?? randomUUID());
    await seedRoles(db, now);
    await seedParameters(db, now);
    await seedFeatureFlags(db, now);
    await seedBuiltInKinds(db, now);
    await putFact(db, 'seed', seedFingerprint);
    await db.execute('update change_counter set value = value + 1 where id = 1');
  });
  await stores.graph.transaction((db) => seedTags(db, now));
  return applied;
}

/** Changes with what is seeded, so that an unchanged store is not written at every start. */
const seedFingerprint = createHash('sha256')
  .update(
    JSON.stringify([
      roles,
      Object.entries(parameters).map(([key, { defaultValue }]) => [key, defaultValue]),
      featureFlags,
      [...builtInKinds],
    ]),
  )
  .digest('hex');

export async function createDeps(
  stores: Stores,
  settings: Settings,
  log: Logger,
  publicUrl: () => string,
  clock: () => number = Date.now,
): Promise<Deps> {
  const keys = loadKeys(settings);
  await stores.db.transaction(async (db) => {
    // Before anything is written with this clock.
    await noteClock(db, clock(), await findNewestRecordAt(db));
    await checkSecret(db, keys, clock());
    if (keys.previous !== undefined) await resealSecrets(db, keys);
    // Once for each store: what is missing later was taken away.
    if ((await findFact(db, 'audit_chain')) === undefined) {
      await beginChain(db, keys);
      await putFact(db, 'audit_chain', 'begun');
    }
    if ((await findFact(db, 'audit_removals')) === undefined) {
      await beginRemovals(db, keys, clock());
      await putFact(db, 'audit_removals', 'begun');
    }
  });
  const instanceId = await findFact(stores.db, 'instance_id');
  if (instanceId === undefined) throw new Error('the store has no instance id');
  return { settings, ...stores, clock, log, changes: new Changes(stores.db), keys, instanceId, publicUrl };
}

/** gap 8.4: every process on one store must have the same secret, or none could read the others' tokens. */
async function checkSecret(db: Transaction, keys: Keys, now: number): Promise<void> {
  await db.lock('kennel: secret');
  const known = await findFact(db, 'secret_fingerprint');
  if (known === keys.fingerprint) return;
  if (known !== undefined && known !== keys.previous?.fingerprint) {
    throw new StartError(
      'this store was set up with another secret. All processes on one database must be given the same KENNEL_SECRET ' +
        '(or the same secret file in their data directories). To change the secret, give the old one as KENNEL_SECRET_PREVIOUS.',
    );
  }
  await putFact(db, 'secret_fingerprint', keys.fingerprint);
  if (known === undefined) return;
  await recordAudit(db, serverItself, now, {
    action: 'ChangeSecret',
    fields: { fingerprint: { before: known, after: keys.fingerprint } },
  });
}

/** After this the former secret is not needed to read anything. */
async function resealSecrets(db: Transaction, keys: Keys): Promise<void> {
  await resealTokens(db, keys);
  await resealSeeds(db, keys);
  await resealMarks(db, keys);
}
