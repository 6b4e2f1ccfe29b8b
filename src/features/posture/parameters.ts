import Type from 'typebox';
import type { Problem } from '../../errors.ts';
import { Int32Parameter } from '../../http/schemas.ts';

export const csv = 'text/csv';

export const EnvironmentsParameter = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 1000,
  description: 'Environment ids; repeat the key',
});

export const TagParameter = Type.Optional(
  Int32Parameter({ description: '0 is Hygiene, 1 is Tier Zero; absent means both' }),
);

/** A bound that could not be read was told already; its default says nothing about the other one. */
export function rangeProblems(
  [first, last]: readonly [string, string],
  range: readonly [number, number],
  invalid: ReadonlySet<string>,
): Problem[] {
  if (invalid.has(first) || invalid.has(last) || range[0] < range[1]) return [];
  return [{ context: first, message: `${first} must be before ${last}` }];
}
