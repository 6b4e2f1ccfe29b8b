import { rows } from './table.ts';

const prefix = 'KENNEL_';

const variableNames: readonly string[] = rows.flatMap(({ name, fileName }) =>
  fileName === undefined ? [name] : [name, fileName],
);

/** Kubernetes gives every pod such variables for a service called kennel. */
const injectedByKubernetes = /^KENNEL_(SERVICE|PORT)_/;

export function problemsWithNames(names: readonly string[]): string[] {
  return names
    .filter((name) => name.startsWith(prefix) && !injectedByKubernetes.test(name))
    .filter((name) => !variableNames.includes(name))
    .map((name) => `${name} is not a setting; did you mean ${nearestTo(name)}?`);
}

function nearestTo(name: string): string {
  // Without the prefix on either side, so that KENNEL_DATABASE_URL leads to DATABASE_URL.
  const stem = (text: string) => (text.startsWith(prefix) ? text.slice(prefix.length) : text);
  const distances = variableNames.map((known) => editDistance(stem(name), stem(known)));
  return variableNames[distances.indexOf(Math.min(...distances))] ?? '';
}

/** Levenshtein distance, keeping one row of the matrix at a time. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const current = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      const removed = (previous[column] ?? 0) + 1;
      const added = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, removed, added));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
