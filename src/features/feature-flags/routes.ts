import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { readRows } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { Int32Parameter, Struct } from '../../http/schemas.ts';
import { FeatureFlag, toFlagView } from './schema.ts';
import { toggleFlag } from './service.ts';
import { type FeatureFlagRow, featureFlagList } from './store.ts';

const created = Date.UTC(2026, 0, 5, 8);

export function registerFeatureFlags(register: Register, deps: Deps): void {
  register({
    id: 'ListFeatureFlags',
    method: 'GET',
    url: '/api/v2/features',
    tag: 'Config',
    summary: 'List feature flags',
    access: { permission: 'app.ReadAppConfig' },
    list: featureFlagList,
    answer: Struct({ data: Type.Array(FeatureFlag) }),
    answerExample: {
      data: [
        toFlagView({ id: 1, key: 'api_docs_page', enabled: 1, created_at: created, updated_at: created }),
      ],
    },
    handle: async ({ db, list }) => {
      const rows = await readRows<FeatureFlagRow>(db, featureFlagList, list);
      return { data: rows.map(toFlagView) };
    },
  });

  register({
    id: 'ToggleFeatureFlag',
    method: 'PUT',
    url: '/api/v2/features/{feature_id}/toggle',
    tag: 'Config',
    summary: 'Turn a feature flag on if it is off, and off if it is on',
    access: { permission: 'app.WriteAppConfig' },
    path: Struct({ feature_id: Int32Parameter() }),
    answer: Struct({ data: Struct({ enabled: Type.Boolean() }) }),
    answerExample: { data: { enabled: false } },
    errors: {
      forbidden: 'feature flag adcs is not user-updatable: it says what this version can do',
      not_found: 'there is no feature flag 99',
    },
    handle: async ({ db, origin, path }) => ({
      data: { enabled: await toggleFlag(deps, db, origin, path.feature_id) },
    }),
  });
}
