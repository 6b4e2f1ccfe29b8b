import Type, { type TObject } from 'typebox';
import type { ErrorCode } from '../errors.ts';
import { statusOf, titleOf } from './errors.ts';
import type { Components } from './openapi-components.ts';
import type { AnyOperation } from './operation.ts';
import { DateTime, Struct, Uuid } from './schemas.ts';

const ErrorEnvelope = Struct(
  {
    http_status: Type.Integer(),
    timestamp: DateTime,
    request_id: Uuid,
    errors: Type.Array(Struct({ context: Type.String(), message: Type.String() }), { maxItems: 20 }),
  },
  { title: 'Error' },
);

const ProblemDetails = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    timestamp: DateTime,
    request_id: Uuid,
    errors: Type.Array(Struct({ context: Type.String(), message: Type.String() }), { maxItems: 20 }),
  },
  { title: 'ProblemDetails', additionalProperties: false },
);

/** Every code that an operation can be answered with. */
export function errorsOf(operation: AnyOperation): ErrorCode[] {
  const { access } = operation;
  const isPublic = access === 'public';
  const codes = new Set<ErrorCode>([
    'bad_request',
    'expectation_failed',
    'headers_too_large',
    'internal',
    'unavailable',
    'timed_out',
  ]);
  if (!isPublic) codes.add('unauthenticated');
  if (!isPublic && access !== 'self' && access !== 'optional') codes.add('forbidden');
  if (operation.edition === 'enterprise') codes.add('not_found');
  if (operation.method !== 'GET') codes.add('too_large').add('request_timeout');
  if ((operation.body ?? operation.form ?? operation.urlencodedForm) !== undefined)
    codes.add('unsupported_media_type');
  if (operation.rateLimited !== false) codes.add('rate_limited');
  for (const code of Object.keys(operation.errors ?? {}) as ErrorCode[]) codes.add(code);
  return [...codes].sort((a, b) => statusOf[a] - statusOf[b]);
}

const genericMessages: Partial<Record<ErrorCode, string>> = {
  bad_request: 'the Prefer header must be wait=N with N whole seconds, or wait=-1',
  unauthenticated: 'the token is not valid, has expired or was ended',
  forbidden: 'this needs the permission auth.ManageUsers',
  not_found: 'this operation is available in the enterprise edition only',
  timed_out: 'request timed out',
  unavailable: 'the store cannot be reached',
};

/** An operation's answer of this code: one for all, with the words that are its own. */
export function responseTo(
  operation: AnyOperation,
  code: ErrorCode,
  components: Components,
): Record<string, unknown> {
  const permission = typeof operation.access === 'object' ? operation.access.permission : undefined;
  const ownMessage =
    operation.errors?.[code] ??
    (code === 'forbidden' && permission !== undefined
      ? `this needs the permission ${permission}`
      : undefined);
  const extra = operation.errorExtra?.[code];
  if (extra !== undefined)
    return describe(code, { context: operation.id, message: ownMessage }, components, extra);
  const shared = describe(code, { context: 'operation', message: undefined }, components);
  return {
    ...components.refer('responses', nameOf(code), shared),
    ...(ownMessage === undefined ? {} : { description: `${titleOf[code]}: ${ownMessage}` }),
  };
}

/** `not_found` is called `NotFound` in the document. */
function nameOf(code: ErrorCode): string {
  return code.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}

function describe(
  code: ErrorCode,
  { context, message }: { context: string; message: string | undefined },
  components: Components,
  extra: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const example = {
    http_status: statusOf[code],
    timestamp: '2026-01-05T08:00:00Z',
    request_id: '7d0b0f6e-6a53-4c77-b3f3-0a3c1d4a9b11',
    errors: [{ context, message: message ?? genericMessages[code] ?? titleOf[code] }],
    ...extra,
  };
  const names = Object.keys(extra);
  return {
    description: titleOf[code],
    content: {
      'application/json': { schema: components.schema(withExtra(ErrorEnvelope, names)), example },
      'application/problem+json': { schema: components.schema(withExtra(ProblemDetails, names)) },
    },
  };
}

function withExtra(schema: TObject, names: readonly string[]): TObject {
  if (names.length === 0) return schema;
  const { title = '' } = schema as { title?: string };
  return Struct(
    { ...schema.properties, ...Object.fromEntries(names.map((name) => [name, Type.String()])) },
    { title: [title, ...names].join('.') },
  );
}
