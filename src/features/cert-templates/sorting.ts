import type { Static } from 'typebox';
import type { Problem } from '../../errors.ts';
import { quoted } from '../../http/parameters.ts';
import { compareCodePoints } from '../../values/text.ts';
import type { NodeListEntry } from './schema.ts';

type Entry = Static<typeof NodeListEntry>;
type Compare = (a: Entry, b: Entry) => number;

const columns: Readonly<Record<string, 'name' | 'objectID' | 'label'>> = {
  name: 'name',
  objectID: 'objectID',
  objectid: 'objectID',
  label: 'label',
};

/** gap 4.2: what can't be sorted by. */
export function sortProblems(sortBy: readonly string[]): Problem[] {
  return sortBy
    .filter((key) => !Object.hasOwn(columns, columnOf(key)))
    .map((key) => ({
      context: 'sort_by',
      message: `the specified column cannot be sorted: ${columnOf(key) === '' || key.length > 60 ? quoted(key) : key}`,
    }));
}

function columnOf(key: string): string {
  return key.replace(/^-/, '');
}

/** gap 4.2: keys in the order given, ties always by object id, so that pages never overlap. */
export function entryOrder(sortBy: readonly string[]): Compare {
  const keys = (sortBy.length === 0 ? ['name'] : sortBy).map((key) => ({
    column: columns[columnOf(key)] ?? 'name',
    direction: key.startsWith('-') ? -1 : 1,
  }));
  return (a, b) => {
    for (const { column, direction } of keys) {
      const order = compareCodePoints(a[column], b[column]);
      if (order !== 0) return order * direction;
    }
    return compareCodePoints(a.objectID, b.objectID);
  };
}
