import { asPublished } from './schemas.ts';

type Kind = 'schemas' | 'responses' | 'parameters' | 'headers';

/** What several operations have in common: written once, and referred to. */
export class Components {
  readonly #parts: Record<Kind, Map<string, unknown>> = {
    schemas: new Map(),
    responses: new Map(),
    parameters: new Map(),
    headers: new Map(),
  };

  /** Keeps a part under its name, which stands for this one alone, and refers to it. */
  refer(kind: Kind, name: string, part: unknown): { $ref: string } {
    const known = this.#parts[kind].get(name);
    if (known === undefined) this.#parts[kind].set(name, part);
    else if (JSON.stringify(known) !== JSON.stringify(part))
      throw new Error(`two ${kind} are called ${name}`);
    return { $ref: `#/components/${kind}/${name}` };
  }

  /** A schema with a title becomes a component of its own; everything else stays where it is. */
  schema(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.schema(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const inner = Object.fromEntries(
      Object.entries(asPublished(schema as Record<string, unknown>)).map(([key, value]) => [
        key,
        this.schema(value),
      ]),
    );
    const { title } = schema as { title?: unknown };
    return typeof title === 'string' ? this.refer('schemas', title, inner) : inner;
  }

  asObject(): Record<Kind, Record<string, unknown>> {
    const sorted = (kind: Kind) =>
      Object.fromEntries([...this.#parts[kind]].sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      schemas: sorted('schemas'),
      responses: sorted('responses'),
      parameters: sorted('parameters'),
      headers: sorted('headers'),
    };
  }
}
