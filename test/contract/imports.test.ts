import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const root = join(repository, 'src');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const filesIn = (folder: string) =>
  (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts'));
const allFiles = filesIn(root);
const sources = allFiles.filter((name) => !name.endsWith('.test.ts'));
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const imports = sources.flatMap((file) => importsOf(file, textOf(file)));

function importsOf(from: string, text: string): Import[] {
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
/** The nearest folder with an index.ts: a feature, or a part of one that others stand on. */
const featureOf = (file: string): string | undefined => {
  const folder = dirname(file);
  if (!folder.startsWith('features/')) return undefined;
  return sources.includes(`${folder}/index.ts`) ? folder.slice('features/'.length) : featureOf(folder);
};
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

  it('make no circle of features', () => {
    const needs = imports.flatMap(({ from, to }): Need[] => {
      const [a, b] = [featureOf(from), featureOf(to)];
      return a === undefined || b === undefined || a === b ? [] : [[a, b]];
    });
    assert.ok(needs.length > 0);
    assert.deepEqual(circlesOf(needs), []);
  });
});

describe('the files of src, test and bench', () => {
  it('make no circle of imports, not even of types', () => {
    const needs = ['src', 'test', 'bench'].flatMap((folder) =>
      filesIn(join(repository, folder)).flatMap((name): Need[] => {
        const file = `${folder}/${name}`;
        const text = readFileSync(join(repository, file), 'utf8');
        return importsOf(file, text).map(({ from, to }) => [from, to]);
      }),
    );
    assert.ok(needs.some(([from, to]) => from.startsWith('test/') && to.startsWith('src/')));
    assert.deepEqual(circlesOf(needs), []);
  });

  it('would be told of a circle by the files in it', () => {
    const needs: Need[] = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
      ['c', 'd'],
      ['e', 'e'],
    ];
    assert.deepEqual(circlesOf(needs), ['b', 'c', 'e']);
  });
});

type Need = readonly [who: string, whom: string];

/** What nobody needs, or needs nobody, is taken away until only circles are left, and what lies between them. */
function circlesOf(needs: readonly Need[]): string[] {
  let left = needs;
  for (;;) {
    const needing = new Set(left.map(([who]) => who));
    const needed = new Set(left.map(([, whom]) => whom));
    const rest = left.filter(([who, whom]) => needed.has(who) && needing.has(whom));
    if (rest.length === left.length) return [...needing].sort();
    left = rest;
  }
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
