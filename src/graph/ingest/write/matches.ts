import { inList, type Transaction } from '../../../db/client.ts';
import type { NodeMatch } from '../convert/statements.ts';
import { slices } from './staged.ts';

/** Found for a match: the one node, or how many there are. */
export type Found = { readonly objectId: string } | { readonly count: 0 | 2 };

interface Candidate {
  readonly id: number;
  readonly object_id: string;
  readonly kinds: string;
  readonly properties: string;
}

interface Search {
  readonly match: NodeMatch;
  readonly objectIds: Set<string>;
}

const scanPage = 2000;
/** As the index on names has it. */
const nameLength = 200;

/**
 * Finds nodes by what they say of themselves. Names and ids have an index; for anything else the nodes are read
 * through once for all the matches of the call, so callers ask for many at a time.
 */
export async function findMatches(
  db: Transaction,
  matches: readonly NodeMatch[],
): Promise<Map<NodeMatch, Found>> {
  const searches = matches.map((match): Search => ({ match, objectIds: new Set() }));
  const byName = new Map<string, Search[]>();
  const byId = new Map<string, Search[]>();
  const byProperty = new Map<string, Search[]>();
  for (const search of searches) {
    const { properties } = search.match;
    const name = properties.find(({ key, value }) => key === 'name' && typeof value === 'string');
    const id = properties.find(({ key, value }) => key === 'objectid' && typeof value === 'string');
    const [first] = properties;
    if (id !== undefined) append(byId, String(id.value).toUpperCase(), search);
    else if (name !== undefined) append(byName, String(name.value).slice(0, nameLength), search);
    else if (first !== undefined) append(byProperty, keyOf(first.key, first.value), search);
  }
  await lookUp(db, byId, 'n.object_id', (row) => row.object_id);
  await lookUp(db, byName, `substr(n.name, 1, ${nameLength})`, (row) => {
    const { name } = JSON.parse(row.properties) as { name?: unknown };
    return typeof name === 'string' ? name.slice(0, nameLength) : '';
  });
  if (byProperty.size > 0) await readThrough(db, byProperty);
  return new Map(searches.map((search) => [search.match, outcome(search)]));
}

function outcome({ objectIds }: Search): Found {
  const [objectId] = objectIds;
  if (objectId === undefined) return { count: 0 };
  return objectIds.size === 1 ? { objectId } : { count: 2 };
}

function append(map: Map<string, Search[]>, key: string, search: Search): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [search]);
  else list.push(search);
}

function keyOf(key: string, value: unknown): string {
  return `${key} ${JSON.stringify(value)}`;
}

const columns = 'n.id, n.object_id, l.kinds, n.properties';
const tables = 'nodes n join kind_lists l on l.id = n.kind_list_id';

async function lookUp(
  db: Transaction,
  wanted: ReadonlyMap<string, Search[]>,
  column: string,
  keyOfRow: (row: Candidate) => string,
): Promise<void> {
  for (const some of slices([...wanted.keys()])) {
    const list = inList(some, 1);
    const rows = await db.query<Candidate>(
      `select ${columns} from ${tables} where ${column} in (${list.sql})`,
      list.params,
    );
    for (const row of rows) for (const search of wanted.get(keyOfRow(row)) ?? []) consider(search, row);
  }
}

async function readThrough(db: Transaction, wanted: ReadonlyMap<string, Search[]>): Promise<void> {
  const keys = [...new Set([...wanted.values()].map(([search]) => search?.match.properties[0]?.key ?? ''))];
  for (let last = 0; ; ) {
    const rows = await db.query<Candidate>(
      `select ${columns} from ${tables} where n.id > $1 order by n.id limit ${scanPage}`,
      [last],
    );
    for (const row of rows) {
      const properties = JSON.parse(row.properties);
      for (const key of keys) {
        if (!Object.hasOwn(properties, key)) continue;
        for (const search of wanted.get(keyOf(key, properties[key])) ?? []) consider(search, row);
      }
    }
    const next = rows.at(-1)?.id;
    if (next === undefined) return;
    last = next;
  }
}

function consider({ match, objectIds }: Search, row: Candidate): void {
  // Two are as many as it takes to be undecided.
  if (objectIds.size > 1) return;
  if (match.kind !== undefined && !(JSON.parse(row.kinds) as string[]).includes(match.kind)) return;
  const properties = JSON.parse(row.properties);
  const isEqual = match.properties.every(({ key, value }) =>
    key === 'objectid' ? row.object_id === String(value).toUpperCase() : properties[key] === value,
  );
  if (isEqual) objectIds.add(row.object_id);
}
