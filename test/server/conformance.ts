import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { resolveReferences, withParts } from './api-document.ts';

interface DocumentedOperation {
  readonly operationId: string;
  readonly 'x-answer-to-signing-collectors'?: TSchema;
  readonly responses: Record<string, { content?: Record<string, { schema: TSchema }> }>;
}

interface ApiDocument {
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

/** The committed document, exactly as a stranger would read it. */
export const document = withParts(
  JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as ApiDocument,
);

const templates = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]*')}$`),
}));

/** The documented operation that a request belongs to; a literal path wins over a parameter. */
export function findDocumented(method: string, path: string): DocumentedOperation | undefined {
  const bare = path.split('?', 1)[0] ?? '';
  const template =
    templates.find((known) => known.template === bare) ?? templates.find((known) => known.pattern.test(bare));
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  return template && document.paths[template.template]?.[verb];
}

const validators = new Map<string, ReturnType<typeof Compile>>();

/** Every answer of an operation must have a documented status and, where it has a body, fit its schema exactly. */
export function checkAgainstDocument(
  method: string,
  path: string,
  answer: { status: number; headers: Headers; body: unknown },
  options: { toSigningCollector?: boolean } = {},
): void {
  const operation = findDocumented(method, path);
  if (operation === undefined) return;
  const response = operation.responses[String(answer.status)];
  const where = `${operation.operationId} ${answer.status}`;
  assert.ok(response !== undefined, `${where} is not documented: ${JSON.stringify(answer.body)}`);
  if (answer.body === undefined) return;
  const mediaType = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const live =
    options.toSigningCollector === true && answer.status < 300
      ? operation['x-answer-to-signing-collectors']
      : undefined;
  const schema = live ?? response.content?.[mediaType]?.schema;
  assert.ok(schema !== undefined, `${where} is not documented as ${mediaType}`);
  const key = `${where} ${mediaType} ${live !== undefined}`;
  const validator = validators.get(key) ?? Compile(resolveReferences(document, schema) as TSchema);
  validators.set(key, validator);
  if (validator.Check(answer.body)) return;
  assert.fail(
    `${where} does not fit its schema: ${JSON.stringify([...validator.Errors(answer.body)].slice(0, 5))}`,
  );
}
