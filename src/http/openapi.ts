import { statusOf } from './errors.ts';
import type { FormFields } from './form.ts';
import { Components } from './openapi-components.ts';
import { errorsOf, responseTo } from './openapi-errors.ts';
import { parametersOf, shareParameters } from './openapi-parameters.ts';
import type { AnyOperation } from './operation.ts';
import { Empty, NoJson, Uuid } from './schemas.ts';

/** The OpenAPI 3.1 document of these operations, made from the very schemas that check them. */
export function buildOpenApi(operations: readonly AnyOperation[], version: string): Record<string, unknown> {
  const components = new Components();
  const described = operations.map((operation) => describe(operation, components));
  shareParameters(described, components);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [index, { url, method }] of operations.entries()) {
    const methods = paths[url] ?? {};
    methods[method.toLowerCase()] = described[index];
    paths[url] = methods;
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
      ...components.asObject(),
    },
  };
}

const requestIdHeader = { description: 'Names this request in logs and errors', schema: Uuid };
const notModified = { description: 'Not changed since the ETag that was sent' };

function describe(operation: AnyOperation, components: Components) {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, ruleText(operation), accessText(operation), editionText(operation)]
      .filter(Boolean)
      .join('\n\n'),
    ...(operation.deprecated ? { deprecated: true } : {}),
    // OpenAPI has no way to say that an answer depends on who asks.
    ...(operation.liveAnswer === undefined
      ? {}
      : { 'x-answer-to-signing-collectors': components.schema(operation.liveAnswer) }),
    // Whoever makes requests from the schemas alone must know that these exist.
    ...(operation.rules === undefined ? {} : { 'x-rules': operation.rules }),
    security: securityOf(operation),
    parameters: parametersOf(operation, components),
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            required: operation.bodyOptional !== true,
            content: {
              'application/json': {
                schema: components.schema(operation.body),
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
        headers: { 'X-Request-Id': components.refer('headers', 'X-Request-Id', requestIdHeader) },
        ...(operation.answer === Empty ? {} : { content: describeAnswer(operation, components) }),
      },
      ...(operation.emptyAnswer === undefined ? {} : { 204: { description: operation.emptyAnswer } }),
      ...(hasValidator(operation) ? { 304: components.refer('responses', 'NotModified', notModified) } : {}),
      ...Object.fromEntries(
        errorsOf(operation).map((code) => [statusOf[code], responseTo(operation, code, components)]),
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
            schema: components.schema(operation.answer),
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
  const properties = Object.entries(fields).map(([name, { description, file, keywords }]) => [
    name,
    {
      type: 'string',
      description,
      ...keywords,
      ...(file ? { contentMediaType: 'application/octet-stream' } : {}),
    },
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

function ruleText({ rules = [] }: AnyOperation): string {
  return rules.map((rule) => `${rule}.`).join(' ');
}

function accessText({ access }: AnyOperation): string {
  if (access === 'public') return 'Needs no token.';
  if (access === 'optional') return 'Needs no token; tells more to a caller who has one.';
  return typeof access === 'object'
    ? `Needs the permission \`${access.permission}\`${access.ofPeople === undefined ? '' : `, and of people \`${access.ofPeople}\` too`}.`
    : 'Needs a token, and no permission.';
}

function editionText({ edition }: AnyOperation): string {
  return edition === 'enterprise' ? 'Enterprise edition only.' : '';
}
