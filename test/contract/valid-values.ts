import fc from 'fast-check';
import type { Schema } from './document.ts';

const int32 = { least: -2_147_483_648, most: 2_147_483_647 };

/** Everything that a schema allows, as far as its keywords tell; sizes stay small. */
export function validValues(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(validValues));
  switch (schema.type) {
    case 'string':
      return strings(schema);
    case 'integer':
      return integers(schema);
    case 'number':
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        ...(schema.minimum === undefined ? {} : { min: schema.minimum }),
        ...(schema.maximum === undefined ? {} : { max: schema.maximum }),
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arrays(schema);
    case 'object':
      return objects(schema);
    case undefined:
      return fc.jsonValue({ maxDepth: 2 });
    default:
      throw new Error(`no values are known for ${JSON.stringify(schema)}`);
  }
}

function strings({ format, pattern, minLength = 0, maxLength = 1000 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time') {
    const instants = { min: new Date('1970-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z') };
    return fc.date({ ...instants, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (format !== undefined) throw new Error(`no texts are known for the format ${format}`);
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
  if (pattern?.includes('\\p{') === true) {
    // The library has no classes of characters; most texts fit these patterns anyway.
    const whole = new RegExp(pattern, 'u');
    const texts = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 12) });
    const address = fc.tuple(texts, texts).map((parts) => parts.join('@'));
    return fc.oneof(texts, address).filter((text) => whole.test(text) && fits(text));
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'), { maxLength }).filter(fits);
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 20) }).filter(fits),
    fc.string({ unit: 'binary-ascii', minLength, maxLength }),
  );
}

function integers({ format, minimum, maximum }: Schema): fc.Arbitrary<unknown> {
  if (format === 'int64' && minimum === undefined && maximum === undefined)
    return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  return fc.integer({ min: Math.max(minimum ?? int32.least, -(2 ** 53) + 1), max: maximum ?? int32.most });
}

function arrays({ items = {}, minItems = 0, maxItems = 50, uniqueItems }: Schema): fc.Arbitrary<unknown[]> {
  const size = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) };
  return uniqueItems === true
    ? fc.uniqueArray(validValues(items), { ...size, selector: (value) => JSON.stringify(value) })
    : fc.array(validValues(items), size);
}

function objects(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [], additionalProperties, propertyNames, minProperties = 0 } = schema;
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, validValues(member)]),
  );
  const known = fc
    .record(members, { requiredKeys: [...required] })
    .filter(
      (value) => Object.keys(value).length >= minProperties || typeof additionalProperties === 'object',
    );
  if (typeof additionalProperties !== 'object') return known;
  const others = fc.dictionary(
    validValues(propertyNames ?? { type: 'string' }) as fc.Arbitrary<string>,
    validValues(additionalProperties),
    { minKeys: minProperties, maxKeys: minProperties + 2, noNullPrototype: true },
  );
  return fc.tuple(known, others).map(([own, more]) => ({ ...more, ...own }));
}
