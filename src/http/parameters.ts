import type { TObject, TSchema } from 'typebox';
import type { Problem } from '../errors.ts';
import { cleanText, quoteShort } from '../values/text.ts';
import { parseRfc3339 } from '../values/time.ts';

/** The keywords of a schema that path and query parameters may use. */
interface ParameterSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: ParameterSchema;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}

export type RawParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads path or query parameters as their schema says, without any coercion: what is not exactly an integer, a
 * date-time or one of the listed words is a problem (gap 1.9), and so is a single value that is given twice.
 */
export function readParameters(
  schema: TObject,
  raw: RawParameters,
  problems: Problem[],
  options: { refuseUnknown?: boolean } = {},
): Record<string, unknown> {
  const required = new Set(schema.required);
  const values: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(schema.properties as Record<string, TSchema>)) {
    const property = declared as ParameterSchema;
    const given = raw[name];
    if (given === undefined) {
      if (property.default !== undefined) values[name] = property.default;
      else if (required.has(name))
        problems.push({ context: name, message: `missing required query parameter: ${name}` });
    } else if (property.type === 'array') {
      values[name] = readArray(name, property, typeof given === 'string' ? [given] : given, problems);
    } else if (typeof given !== 'string') {
      problems.push({ context: name, message: `${name} is given ${given.length} times; give it once` });
    } else {
      values[name] = readOne(name, property, given, problems);
    }
  }
  if (options.refuseUnknown) {
    for (const name of Object.keys(raw)) {
      if (Object.hasOwn(schema.properties, name)) continue;
      problems.push({ context: cleanText(name), message: `unknown query parameter: ${cleanText(name)}` });
    }
  }
  return values;
}

function readArray(
  name: string,
  schema: ParameterSchema,
  given: readonly string[],
  problems: Problem[],
): unknown[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items = {} } = schema;
  if (given.length < minItems || given.length > maxItems) {
    problems.push({
      context: name,
      message: `${name} takes ${minItems} to ${maxItems} values, ${given.length} are given`,
    });
    return [];
  }
  return given.map((text) => readOne(name, items, text, problems));
}

function readOne(name: string, schema: ParameterSchema, text: string, problems: Problem[]): unknown {
  const reject = (rule: string) => {
    problems.push({ context: name, message: `${name} must be ${rule}, but is ${quoted(text)}` });
    return undefined;
  };
  if (schema.type === 'integer') return readInteger(schema, text) ?? reject(integerRule(schema));
  if (schema.type === 'boolean')
    return text === 'true' || (text === 'false' ? false : reject('true or false'));
  if (schema.enum !== undefined && !schema.enum.includes(text))
    return reject(`one of ${schema.enum.join(', ')}`);
  if (schema.format === 'date-time') {
    return parseRfc3339(text) ?? reject('an RFC 3339 date-time such as 2026-01-31T00:00:00Z');
  }
  if (schema.format === 'uuid') {
    return uuidPattern.test(text) ? text.toLowerCase() : reject('a UUID');
  }
  return cleanText(text);
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function readInteger(schema: ParameterSchema, text: string): number | bigint | undefined {
  if (!/^-?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text);
  const wide = schema.format === 'int64';
  if (wide ? BigInt.asIntN(64, value) !== value : BigInt.asIntN(32, value) !== value) return undefined;
  if (schema.minimum !== undefined && value < BigInt(schema.minimum)) return undefined;
  return wide ? value : Number(value);
}

function integerRule(schema: ParameterSchema): string {
  const least = schema.minimum === undefined ? '' : ` of at least ${schema.minimum}`;
  return `a whole number${least} that fits ${schema.format === 'int64' ? 64 : 32} bits`;
}

/** Enough of it to recognise, never the whole of a megabyte. */
export function quoted(text: string): string {
  return quoteShort(cleanText(text), 60);
}
