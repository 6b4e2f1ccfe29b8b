import assert from 'node:assert/strict';

interface WithComponents {
  readonly components: object;
}

type Operation = { parameters: unknown[]; responses: Record<string, unknown> };

/** The document with its operations' parameters and responses in place; schemas stay references. */
export function withParts<Document extends WithComponents & { readonly paths: object }>(
  document: Document,
): Document {
  const place = (value: unknown) => placed(document, value);
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods as Record<string, Operation>).map(([method, operation]) => [
        method,
        {
          ...operation,
          parameters: operation.parameters.map(place),
          responses: Object.fromEntries(
            Object.entries(operation.responses).map(([status, response]) => [status, place(response)]),
          ),
        },
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Puts components in place of references, all the way down. */
export function resolveReferences(document: WithComponents, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(document, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(placed(document, value) as object).map(([name, part]) => [
      name,
      resolveReferences(document, part),
    ]),
  );
}

/** What a reference stands for; the words beside it are in place of its own. */
function placed(document: WithComponents, value: unknown): unknown {
  const { $ref, ...beside } = value as { $ref?: string };
  if ($ref === undefined) return value;
  const [root, , kind = '', name = ''] = $ref.split('/');
  const target = (document.components as Record<string, Record<string, object>>)[kind]?.[name];
  assert.ok(root === '#' && target !== undefined, `${$ref} leads nowhere`);
  return { ...target, ...beside };
}
