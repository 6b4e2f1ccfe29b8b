import Type, { type TObject, type TSchema } from 'typebox';
import type { ErrorCode } from '../errors.ts';
import { statusOf, titleOf } from './errors.ts';
import type { FormFields } from './form.ts';
import { listParameters } from './list.ts';
import type { AnyOperation } from './operation.ts';
import { DateTime, Empty, NoJson, Struct, Uuid } from './schemas.ts';

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

const preferHeader = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'How long the request may take, in seconds (RFC 7240). wait=0 means the default; wait=-1 lifts the limit where that is enabled.',
  schema: { type: 'string', default: 'wait=30', pattern: '^wait=(-1|[0-9]+)$' },
};

/** The OpenAPI 3.1 document of these operations, made from the very schemas that check them. */
export function buildOpenApi(operations: readonly AnyOperation[], version: string): Record<string, unknown> {
  const components = new Map<string, unknown>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.url] ??= {};
    (paths[operation.url] as Record<string, unknown>)[operation.method.toLowerCase()] = describe(
      operation,
      components,
    );
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Kennel management API',
      version,
      description: 'Management API of a graph-based identity-security analysis server.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A token of POST /api/v2/login. Wherever it is taken, a request signed with an API token is taken too: see docs/signed-requests.md.',
        },
      },
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

type Components = Map<string, unknown>;

function describe(operation: AnyOperation, components: Components): Record<string, unknown> {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, accessText(operation), editionText(operation)]
      .filter(Boolean)
      .join('\n\n'),
    ...(operation.deprecated ? { deprecated: true } : {}),
    // OpenAPI has no way to say that an answer depends on who asks.
    ...(operation.liveAnswer === undefined
      ? {}
      : { 'x-answer-to-signing-collectors': refer(operation.liveAnswer, components) }),
    security: securityOf(operation),
    parameters: [
      ...parameters(operation, 'path'),
      ...parameters(operation, 'query'),
      ...(operation.list === undefined ? [] : describeParameters(listParameters(operation.list), 'query')),
      preferHeader,
    ],
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            required: operation.bodyOptional !== true,
            content: {
              'application/json': {
                schema: refer(operation.body, components),
                example: operation.bodyExample,
              },
            },
          },
        }),
    ...(operation.form === undefined
      ? {}
      : { requestBody: describeForm(operation.form, 'multipart/form-data') }),
    ...(operation.urlencodedForm === undefined
      ? {}
      : { requestBody: describeForm(operation.urlencodedForm, 'application/x-www-form-urlencoded') }),
    ...(operation.streamsBody === true ? { requestBody: describeStream(operation) } : {}),
    responses: {
      [operation.status ?? 200]: {
        description: 'OK',
        headers: { 'X-Request-Id': { description: 'Names this request in logs and errors', schema: Uuid } },
        ...(operation.answer === Empty ? {} : { content: describeAnswer(operation, components) }),
      },
      ...(hasValidator(operation)
        ? { 304: { description: 'Not changed since the ETag that was sent' } }
        : {}),
      ...Object.fromEntries(
        errorsOf(operation).map((code) => [statusOf[code], errorResponse(operation, code, components)]),
      ),
    },
  };
}

function securityOf({ access }: AnyOperation): object[] {
  if (access === 'public') return [];
  return access === 'optional' ? [{}, { bearer: [] }] : [{ bearer: [] }];
}

function describeAnswer(operation: AnyOperation, components: Components): Record<string, unknown> {
  const documents = Object.entries(operation.documents ?? {}).map(([mediaType, description]) => [
    mediaType,
    { schema: { type: 'string', description } },
  ]);
  const isJson = operation.answer !== NoJson;
  return {
    ...(isJson
      ? {
          'application/json': {
            schema: refer(operation.answer, components),
            example: operation.answerExample,
          },
        }
      : {}),
    ...Object.fromEntries(documents),
  };
}

function describeStream({ bodyExample: example }: AnyOperation): Record<string, unknown> {
  return { required: true, content: { 'application/json': { schema: { type: 'object' }, example } } };
}

function describeForm(fields: FormFields, mediaType: string): Record<string, unknown> {
  const properties = Object.entries(fields).map(([name, { description, file }]) => [
    name,
    { type: 'string', description, ...(file ? { contentMediaType: 'application/octet-stream' } : {}) },
  ]);
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  return {
    required: required.length > 0,
    content: {
      [mediaType]: {
        schema: { type: 'object', properties: Object.fromEntries(properties), required },
      },
    },
  };
}

function hasValidator(operation: AnyOperation): boolean {
  return operation.method === 'GET' && operation.volatile !== true && operation.answer !== NoJson;
}

function accessText({ access }: AnyOperation): string {
  if (access === 'public') return 'Needs no token.';
  if (access === 'optional') return 'Needs no token; tells more to a caller who has one.';
  return typeof access === 'object'
    ? `Needs the permission \`${access.permission}\`.`
    : 'Needs a token, and no permission.';
}

function editionText({ edition }: AnyOperation): string {
  return edition === 'enterprise' ? 'Enterprise edition only.' : '';
}

/** Every code that an operation can be answered with. */
export function errorsOf(operation: AnyOperation): ErrorCode[] {
  const { access } = operation;
  const isPublic = access === 'public';
  const codes = new Set<ErrorCode>([
    'bad_request',
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
  not_found: 'this operation is available in the enterprise edition only',
  timed_out: 'request timed out',
  unavailable: 'the store cannot be reached',
};

function errorResponse(
  operation: AnyOperation,
  code: ErrorCode,
  components: Components,
): Record<string, unknown> {
  const status = statusOf[code];
  const permission = typeof operation.access === 'object' ? operation.access.permission : undefined;
  const message =
    operation.errors?.[code] ??
    (code === 'forbidden' && permission !== undefined
      ? `this needs the permission ${permission}`
      : undefined) ??
    genericMessages[code] ??
    titleOf[code];
  const example = {
    http_status: status,
    timestamp: '2026-01-05T08:00:00Z',
    request_id: '7d0b0f6e-6a53-4c77-b3f3-0a3c1d4a9b11',
    errors: [{ context: operation.id, message }],
    ...operation.errorExtra?.[code],
  };
  const extra = Object.keys(operation.errorExtra?.[code] ?? {});
  return {
    description: titleOf[code],
    content: {
      'application/json': { schema: refer(withExtra(ErrorEnvelope, extra), components), example },
      'application/problem+json': { schema: refer(withExtra(ProblemDetails, extra), components) },
    },
  };
}

function withExtra(schema: TObject, names: readonly string[]): TObject {
  if (names.length === 0) return schema;
  return Struct({ ...schema.properties, ...Object.fromEntries(names.map((name) => [name, Type.String()])) });
}

function parameters(operation: AnyOperation, place: 'path' | 'query'): Record<string, unknown>[] {
  const schema = operation[place];
  return schema === undefined ? [] : describeParameters(schema.properties, place, schema.required);
}

function describeParameters(
  properties: Record<string, TSchema>,
  place: 'path' | 'query',
  required: readonly string[] = [],
): Record<string, unknown>[] {
  return Object.entries(properties as Record<string, TSchema & { description?: string }>).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: place,
      required: required.includes(name) && !('default' in rest),
      ...(description === undefined ? {} : { description }),
      ...('items' in rest ? { style: 'form', explode: true } : {}),
      schema: rest,
    }),
  );
}

/** A schema with a title becomes a component of its own; everything else stays where it is. */
function refer(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((item) => refer(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, refer(value, components)]),
  );
  const { title } = schema as { title?: unknown };
  if (typeof title !== 'string') return inner;
  components.set(title, inner);
  return { $ref: `#/components/schemas/${title}` };
}
