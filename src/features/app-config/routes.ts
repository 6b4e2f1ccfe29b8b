import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import { setParameter } from './service.ts';

const Parameter = Struct({
  key: Type.String({ description: 'One of the known parameters' }),
  value: Type.Object(
    {},
    { additionalProperties: true, description: "Exactly the members of the parameter's own schema" },
  ),
});

const example = { key: 'analysis.reconciliation', value: { enabled: true } };

export function registerAppConfig(register: Register, deps: Deps): void {
  register({
    id: 'SetAppConfigParam',
    method: 'PUT',
    url: '/api/v2/config',
    tag: 'Config',
    summary: 'Write application configuration parameters',
    access: { permission: 'app.WriteAppConfig' },
    body: Parameter,
    bodyExample: example,
    answer: Struct({ data: Parameter }),
    answerExample: { data: example },
    errors: {
      bad_request: 'value.enabled must be a boolean',
      forbidden: 'configuration parameter auth.api_tokens is protected',
    },
    handle: async ({ db, origin, body }) => ({ data: await setParameter(deps, db, origin, body) }),
  });
}
