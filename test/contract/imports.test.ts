import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../src/', import.meta.url));

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const allFiles = (readdirSync(root, { recursive: true }) as string[])
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts'));
const sources = allFiles.filter((name) => !name.endsWith('.test.ts'));
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const imports = sources.flatMap(importsOf);

function importsOf(from: string): Import[] {
  const text = textOf(from);
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?([^;'"]*?)\s*(?:from\s+)?'(\.[^']+)';/gm);
  const dynamic = text.matchAll(/\bimport\('(\.[^']+)'\)/g);
  return [
    ...[...statements].map(([, type, names = '', path = '']) => ({
      from,
      to: join(dirname(from), path),
      typeOnly: type !== undefined || onlyTypes(names),
    })),
    ...[...dynamic].map(([, path = '']) => ({ from, to: join(dirname(from), path), typeOnly: false })),
  ];
}

/** `{ type A, type B }` brings nothing at run time. */
function onlyTypes(names: string): boolean {
  const inner = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1];
  if (inner === undefined) return false;
  return inner
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .every((name) => name.startsWith('type '));
}

/** Imports point down this list. What is not in it is a root module: errors, deps, config, values and the like. */
const levels = [
  ['main.ts'],
  ['cli'],
  ['app.ts', 'bootstrap.ts', 'demo'],
  ['features'],
  ['graph', 'http'],
  ['db'],
];

/** A folder or a file directly under src. */
const roomOf = (file: string) => file.split('/')[0] ?? '';
const levelOf = (file: string) => {
  const level = levels.findIndex((rooms) => rooms.includes(roomOf(file)));
  return level < 0 ? levels.length : level;
};
const featureOf = (file: string) => (roomOf(file) === 'features' ? file.split('/')[1] : undefined);
const show = ({ from, to }: Import) => `${from} imports ${to}`;

describe('the imports of src', () => {
  it('are found, and lead to files that exist', () => {
    assert.ok(imports.length > 100);
    assert.deepEqual(imports.filter(({ to }) => !sources.includes(to)).map(show), []);
  });

  it('point down: main, cli, app, features, graph and http, db, root modules', () => {
    const upward = imports.filter(({ from, to, typeOnly }) => {
      if (roomOf(from) === roomOf(to)) return false;
      // The store's interface is what everyone speaks of; it brings no code.
      if (typeOnly && to === 'db/client.ts') return false;
      const isRoot = levelOf(from) === levels.length;
      return isRoot ? levelOf(to) < levels.length : levelOf(to) <= levelOf(from);
    });
    assert.deepEqual(upward.map(show), []);
  });

  it("reach a feature through its index.ts, and a feature's own files directly", () => {
    const wrong = imports.filter(({ from, to }) => {
      const feature = featureOf(to);
      if (feature === undefined) return false;
      const isIndex = to === `features/${feature}/index.ts`;
      return featureOf(from) === feature ? isIndex : !isIndex;
    });
    assert.deepEqual(wrong.map(show), []);
  });

  it('make no circle of features, except of types', () => {
    const needs = new Map<string, Set<string>>();
    for (const { from, to, typeOnly } of imports) {
      const [a, b] = [featureOf(from), featureOf(to)];
      if (a === undefined || b === undefined || a === b || typeOnly) continue;
      needs.set(a, (needs.get(a) ?? new Set()).add(b));
    }
    assert.ok(needs.size > 0);
    assert.deepEqual(
      [...needs.keys()].filter((feature) => reaches(needs, feature, feature)),
      [],
    );
  });
});

function reaches(needs: ReadonlyMap<string, ReadonlySet<string>>, start: string, goal: string): boolean {
  const seen = new Set<string>();
  const open = [...(needs.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === goal) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(needs.get(next) ?? []));
  }
  return false;
}

describe('the files of src', () => {
  it('read process.env in the command line alone, which hands it to config.ts', () => {
    const readers = sources.filter((file) =>
      /\bprocess\s*(\.\s*env\b|\[)|\benv\b.*from 'node:process'/.test(textOf(file)),
    );
    assert.deepEqual(
      readers.filter((file) => !['config.ts', 'cli/settings.ts'].includes(file)),
      [],
    );
  });

  it('have at most 300 lines', () => {
    const lengths = allFiles.map((file) => ({ file, lines: textOf(file).trimEnd().split('\n').length }));
    assert.deepEqual(
      lengths.filter(({ lines }) => lines > 300),
      [],
    );
  });
});
