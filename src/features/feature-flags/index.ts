import { Cache, type Changes } from '../../changes.ts';
import type { Db } from '../../db/client.ts';
import type { FeatureFlagKey } from './flags.ts';
import { readFlag } from './store.ts';

export { featureFlags } from './flags.ts';
export { registerFeatureFlags } from './routes.ts';
export { seedFeatureFlags } from './store.ts';

/** The flags in force, at most a second behind a change on another process. */
export interface FeatureFlags {
  isEnabled(key: FeatureFlagKey): Promise<boolean>;
}

export function createFeatureFlags(db: Db, changes: Changes): FeatureFlags {
  const cache = new Cache(changes, 100, (key: FeatureFlagKey) => readFlag(db, key));
  return { isEnabled: async (key) => (await cache.get(key)) === true };
}
