import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CollectorFile, collectorFiles } from '../collectors/collector-files.ts';
import { plainReading } from '../collectors/plain-reading.ts';
import { zip } from '../collectors/zip.ts';
import { temporaryStore } from '../server/harness.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let directory: string;

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'kennel-graphs-'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function compare(args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'scripts/compare-graphs.ts', ...args],
    { cwd: root, encoding: 'utf8', env: { PATH: process.env.PATH, ...env } },
  );
  return { status, stdout, stderr };
}

/** The same every time, and like no order that somebody would think of. */
function shuffled<T>(list: readonly T[]): T[] {
  const numbered = list.map((one, index) => [(index * 7 + 3) % list.length, index, one] as const);
  return numbered.sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , one]) => one);
}

describe('scripts/compare-graphs.ts', () => {
  const files = [...collectorFiles(5), ...collectorFiles(6)];
  const nameOf = ({ meta }: CollectorFile) => `${meta.version}_${meta.type}.json`;
  const write = (some: readonly CollectorFile[]) => some.map((one) => file(nameOf(one), JSON.stringify(one)));
  const orders: [name: string, paths: () => string[]][] = [
    ['as they are', () => write(files)],
    ['backwards', () => write([...files].reverse())],
    ['mixed, and twice', () => write([...shuffled(files), ...files])],
    [
      'in one archive',
      () => {
        const entries = shuffled(files).map((one) => ({ name: nameOf(one), content: JSON.stringify(one) }));
        return [file('all.zip', zip(entries))];
      },
    ],
  ];

  for (const [name, paths] of orders) {
    it(`finds the graph equal to a plain reading of the files: ${name}`, async () => {
      const expected = file('expected.json', JSON.stringify(plainReading(files)));
      const temporary = await temporaryStore();
      try {
        const found = compare([expected, '--ingest', ...paths()], temporary.env);
        assert.deepEqual(found, { status: 0, stdout: '', stderr: 'the graphs are equal\n' });
      } finally {
        await temporary.remove();
      }
    });
  }

  it('ends with 1 and names what differs, and with 2 when it is not given two files', async () => {
    const expected = file('whole.json', JSON.stringify(plainReading(files)));
    const graph = JSON.parse(readFileSync(expected, 'utf8'));
    const edge = graph.graph.edges.pop();
    graph.graph.nodes[0].properties.name = 'OTHER';
    const { status, stdout, stderr } = compare([expected, file('less.json', JSON.stringify(graph))]);
    assert.deepEqual([status, stderr], [1, '2 differences\n']);
    assert.match(stdout, /^node .*: name is "OTHER", not /m);
    assert.ok(stdout.includes(`edge ${edge.start.value} -${edge.kind}-> ${edge.end.value} is missing`));
    for (const args of [[expected], [expected, '--ingest'], [expected, expected, expected]])
      assert.equal(compare(args).status, 2);
  });
});
