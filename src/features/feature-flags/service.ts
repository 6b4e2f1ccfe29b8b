import type { Origin } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { changesBetween, recordAudit } from '../audit/index.ts';
import { featureFlags } from './flags.ts';
import { findFlag, writeFlag } from './store.ts';

/** Turns a flag to what it is not, on every process within a second, and tells what it is then. */
export function toggleFlag(
  deps: Pick<Deps, 'clock' | 'changes'>,
  db: Db,
  origin: Origin,
  id: number,
): Promise<boolean> {
  return db.transaction(async (db) => {
    await db.lock('feature flags');
    const flag = await findFlag(db, id);
    if (flag === undefined) {
      throw new AppError('not_found', `there is no feature flag ${id}`, { context: 'feature_id' });
    }
    if (!featureFlags[flag.key].userUpdatable) {
      throw new AppError(
        'forbidden',
        `feature flag ${flag.key} is not user-updatable: it says what this version can do`,
        { context: 'feature_id' },
      );
    }
    const before = flag.enabled !== 0;
    const now = deps.clock();
    await writeFlag(db, id, !before, now);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'UpdateFeatureFlag',
      fields: { id, key: flag.key, ...changesBetween({ enabled: before }, { enabled: !before }) },
    });
    return !before;
  });
}
