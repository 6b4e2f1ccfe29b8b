import Type, { type Static } from 'typebox';
import { Struct, timestampMembers, timestamps } from '../../http/schemas.ts';
import { featureFlags } from './flags.ts';
import type { FeatureFlagRow } from './store.ts';

export const FeatureFlag = Struct({
  id: Type.Integer(),
  ...timestampMembers,
  key: Type.String(),
  name: Type.String(),
  description: Type.String(),
  enabled: Type.Boolean(),
  user_updatable: Type.Boolean({ description: 'Whether it can be toggled' }),
});

export function toFlagView(row: FeatureFlagRow): Static<typeof FeatureFlag> {
  const { name, description, userUpdatable } = featureFlags[row.key];
  return {
    id: row.id,
    ...timestamps(row),
    key: row.key,
    name,
    description,
    enabled: row.enabled !== 0,
    user_updatable: userUpdatable,
  };
}
