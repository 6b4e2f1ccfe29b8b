import type { Reader, Transaction } from '../../db/client.ts';
import { deletedAtColumn, type List } from '../../http/list.ts';
import { type FeatureFlagKey, featureFlags } from './flags.ts';

export interface FeatureFlagRow {
  readonly id: number;
  readonly key: FeatureFlagKey;
  readonly enabled: number;
  readonly created_at: number;
  readonly updated_at: number;
}

const columns = 'id, key, enabled, created_at, updated_at';
const keys = Object.keys(featureFlags)
  .map((key) => `'${key}'`)
  .join(', ');
/** A flag that another version had is none. */
const knownFlags = `(select ${columns} from feature_flags where key in (${keys})) f`;

export const featureFlagList: List = {
  select: columns,
  from: knownFlags,
  key: 'id',
  growth: 'few rows',
  columns: {
    id: { type: 'integer', sql: 'f.id' },
    key: { type: 'text', sql: 'f.key' },
    enabled: { type: 'boolean', sql: 'f.enabled' },
    created_at: { type: 'time', sql: 'f.created_at' },
    updated_at: { type: 'time', sql: 'f.updated_at' },
    deleted_at: deletedAtColumn,
  },
};

export function findFlag(db: Reader, id: number): Promise<FeatureFlagRow | undefined> {
  return db.one<FeatureFlagRow>(`select ${columns} from ${knownFlags} where id = $1`, [id]);
}

export async function readFlag(db: Reader, key: FeatureFlagKey): Promise<boolean> {
  const row = await db.one<{ enabled: number }>('select enabled from feature_flags where key = $1', [key]);
  return row === undefined ? featureFlags[key].enabledByDefault : row.enabled !== 0;
}

export async function writeFlag(db: Transaction, id: number, enabled: boolean, now: number): Promise<void> {
  await db.execute('update feature_flags set enabled = $2, updated_at = $3 where id = $1', [
    id,
    enabled ? 1 : 0,
    now,
  ]);
}

/** Every flag is a row from the start. What people set stays; what states a fact is as this version says. */
export async function seedFeatureFlags(db: Transaction, now: number): Promise<void> {
  const rowsOf = (updatable: boolean) =>
    Object.entries(featureFlags)
      .filter(([, flag]) => flag.userUpdatable === updatable)
      .map(([key, flag]) => [key, flag.enabledByDefault ? 1 : 0, now, now]);
  const names = ['key', 'enabled', 'created_at', 'updated_at'];
  await db.bulk('feature_flags', names, rowsOf(true), 'on conflict (key) do nothing');
  await db.bulk(
    'feature_flags',
    names,
    rowsOf(false),
    `on conflict (key) do update set enabled = excluded.enabled, updated_at = excluded.updated_at
       where feature_flags.enabled <> excluded.enabled`,
  );
}
