import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { narrowed, readRows } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { published, Struct } from '../../http/schemas.ts';
import {
  askedKey,
  askedKeyProblems,
  keyPattern,
  ListedParameter,
  type ParameterRow,
  parameterList,
  toListedView,
} from './listing.ts';
import { type ParameterEffects, setParameter } from './service.ts';

const Parameter = Struct({
  key: Type.String({ description: 'One of the known parameters' }),
  value: Type.Object(
    {},
    { additionalProperties: true, description: "Exactly the members of the parameter's own schema" },
  ),
});

const example = { key: 'analysis.reconciliation', value: { enabled: true } };

const listedExample = toListedView({
  id: 7,
  key: 'prune.ttl',
  value: '{"base_ttl":"P7D","has_session_edge_ttl":"P3D"}',
  created_at: Date.UTC(2026, 0, 5, 8),
  updated_at: Date.UTC(2026, 0, 5, 8),
});

export function registerAppConfig(register: Register, deps: Deps, effects: ParameterEffects): void {
  register({
    id: 'ListAppConfigParams',
    method: 'GET',
    url: '/api/v2/config',
    tag: 'Config',
    summary: 'List application configuration parameters, protected ones too',
    access: { permission: 'app.ReadAppConfig' },
    query: Struct({
      parameter: Type.Optional(
        Type.String({
          description: 'Only the one with this key: `eq:prune.ttl`',
          ...published({ pattern: keyPattern }),
        }),
      ),
    }),
    list: parameterList,
    answer: Struct({ data: Type.Array(ListedParameter) }),
    answerExample: { data: [listedExample] },
    errors: { bad_request: 'there is no configuration parameter "prune": the keys are prune.ttl' },
    checkQuery: ({ parameter }) => askedKeyProblems(parameter),
    handle: async ({ db, query: { parameter }, list }) => {
      const asked = parameter === undefined ? list : narrowed(list, 'p.key = $1', askedKey(parameter));
      return { data: (await readRows<ParameterRow>(db, parameterList, asked)).map(toListedView) };
    },
  });

  register({
    id: 'SetAppConfigParam',
    method: 'PUT',
    url: '/api/v2/config',
    tag: 'Config',
    summary: 'Write application configuration parameters',
    rules: [
      '`key` is one that GET /api/v2/config lists, and `value` has exactly the members of that parameter',
    ],
    access: { permission: 'app.WriteAppConfig' },
    body: Parameter,
    bodyExample: example,
    answer: Struct({ data: Parameter }),
    answerExample: { data: example },
    errors: {
      bad_request: 'value.enabled must be a boolean',
      forbidden: 'configuration parameter auth.api_tokens is protected',
    },
    handle: async ({ db, origin, body }) => ({ data: await setParameter(deps, db, origin, body, effects) }),
  });
}
