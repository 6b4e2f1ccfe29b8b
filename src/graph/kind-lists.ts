import type { Reader, Value } from '../db/client.ts';

/** Beyond this, nobody means the same kind by different cases. */
const mostSpellings = 50;

/**
 * The lists of kinds that have one of these, as a condition on `kind_list_id`: a hostile file makes more lists than a
 * statement takes parameters. A list is what JSON.stringify makes of texts, so a quoted kind in it is a whole kind.
 */
export function hasOneOf(
  kinds: readonly string[],
  firstParameter: number,
): { readonly sql: string; readonly params: Value[] } {
  const conditions = kinds.map((_, index) => `replace(kinds, $${firstParameter + index}, '') <> kinds`);
  return {
    sql: `kind_list_id in (select id from kind_lists where ${conditions.join(' or ')})`,
    params: kinds.map((kind) => JSON.stringify(kind)),
  };
}

/** The kinds that nodes have and that are this one, whatever its case. */
export async function spellingsOf(graph: Reader, kind: string): Promise<string[]> {
  const sought = kind.toLowerCase();
  const found = new Set<string>();
  for (const row of await graph.query<{ kinds: string }>('select kinds from kind_lists')) {
    for (const one of JSON.parse(row.kinds) as string[]) {
      if (one.toLowerCase() === sought && found.size < mostSpellings) found.add(one);
    }
  }
  return [...found];
}
