import type { TSchema } from 'typebox';
import { listParameters } from './list.ts';
import type { Components } from './openapi-components.ts';
import type { AnyOperation } from './operation.ts';

type Parameter = { readonly name: string } & Record<string, unknown>;

const preferHeader: Parameter = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'How long the request may take, in seconds (RFC 7240). wait=0 means the default; wait=-1 lifts the limit where that is enabled.',
  schema: { type: 'string', default: 'wait=30', pattern: '^wait=(-1|[0-9]+)$' },
};

export function parametersOf(operation: AnyOperation, components: Components): Parameter[] {
  const { path, query, list } = operation;
  return [
    ...(path === undefined ? [] : describe(path.properties, 'path', components, path.required)),
    ...(query === undefined ? [] : describe(query.properties, 'query', components, query.required)),
    ...(list === undefined ? [] : describe(listParameters(list), 'query', components)),
    preferHeader,
  ];
}

function describe(
  properties: Record<string, TSchema>,
  place: 'path' | 'query',
  components: Components,
  required: readonly string[] = [],
): Parameter[] {
  return Object.entries(properties as Record<string, TSchema & { description?: string }>).map(
    ([name, { description, ...rest }]) => ({
      name,
      in: place,
      required: required.includes(name) && !('default' in rest),
      ...(description === undefined ? {} : { description }),
      ...('items' in rest ? { style: 'form', explode: true } : {}),
      schema: components.schema(rest),
    }),
  );
}

/** Puts references in place of every parameter that several operations have exactly alike. */
export function shareParameters(
  operations: readonly { parameters: readonly Parameter[] }[],
  components: Components,
): void {
  const uses = new Map<string, number>();
  for (const { parameters } of operations) {
    for (const text of parameters.map((parameter) => JSON.stringify(parameter)))
      uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const references = new Map<string, { $ref: string }>();
  const alike = new Map<string, number>();
  for (const operation of operations) {
    const shared = operation.parameters.map((parameter) => {
      const text = JSON.stringify(parameter);
      if ((uses.get(text) ?? 0) < 2) return parameter;
      const known = references.get(text);
      if (known !== undefined) return known;
      const count = (alike.get(parameter.name) ?? 0) + 1;
      alike.set(parameter.name, count);
      const name = count === 1 ? parameter.name : `${parameter.name}.${count}`;
      const reference = components.refer('parameters', name, parameter);
      references.set(text, reference);
      return reference;
    });
    Object.assign(operation, { parameters: shared });
  }
}
