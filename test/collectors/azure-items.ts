import type { Statements } from '../../src/graph/ingest/convert/statements.ts';
import { convert, edgesOf } from '../server/statements.ts';

/** Ids as they are written, and as they are stored. */
export const tenantId = '6c12b0b0-b2cc-4a73-8252-0b94bfca2145';
export const tenant = tenantId.toUpperCase();
export const home = { tenantId, tenantName: 'Contoso' };

/** Converts one item of a batch of the service. */
export function readItem(kind: unknown, data: unknown): Statements {
  return convert('azure', { kind, data }, { methods: 0, version: 0 });
}

export interface Reading {
  /** `ID Kind Kind …` of what has properties, in the order stated; those that were collected have a `+` in front. */
  readonly nodes: string[];
  /** `ID Kind` of what is only named, sorted. */
  readonly named: string[];
  readonly edges: string[];
}

/** What an item states, for comparison as a whole. */
export function readingOf(statements: Statements): Reading {
  const said = statements.nodes.filter(({ properties }) => Object.keys(properties).length > 0);
  const named = statements.nodes.filter((node) => !said.includes(node));
  return {
    nodes: said.map(
      ({ objectId, kinds, collected }) => `${collected ? '+' : ''}${objectId} ${kinds.join(' ')}`,
    ),
    named: named.map(({ objectId, kinds }) => `${objectId} ${kinds[0]}`).sort(),
    edges: edgesOf(statements),
  };
}
