import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CollectorFile, collectorFiles } from '../collector-files.ts';
import { temporaryStore } from '../harness.ts';
import { plainReading } from '../plain-reading.ts';
import { runKennel } from '../processes.ts';
import { zip } from '../zip.ts';

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

function compare(...files: string[]) {
  const args = ['--import', 'tsx', 'scripts/compare-graphs.ts', ...files];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** What the program has in an empty store after these files: ingested and exported by its commands. */
async function exportOf(name: string, paths: readonly string[]): Promise<string> {
  const temporary = await temporaryStore();
  const run = async (...args: string[]) => {
    const { code, stderr } = await runKennel(args, temporary.env);
    assert.equal(code, 0, stderr);
  };
  try {
    await run('migrate');
    await run('ingest', ...paths);
    const path = join(directory, name);
    await run('export', '--opengraph', path);
    return path;
  } finally {
    await temporary.remove();
  }
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
    it(`finds the exported graph equal to a plain reading of the files: ${name}`, async () => {
      const expected = file('expected.json', JSON.stringify(plainReading(files)));
      const found = await exportOf(`${name}.json`, paths());
      assert.deepEqual(compare(expected, found), {
        status: 0,
        stdout: '',
        stderr: 'the graphs are equal\n',
      });
    });
  }

  it('ends with 1 and names what differs, and with 2 when it is not given two files', async () => {
    const expected = file('whole.json', JSON.stringify(plainReading(files)));
    const graph = JSON.parse(readFileSync(expected, 'utf8'));
    const edge = graph.graph.edges.pop();
    graph.graph.nodes[0].properties.name = 'OTHER';
    const { status, stdout, stderr } = compare(expected, file('less.json', JSON.stringify(graph)));
    assert.deepEqual([status, stderr], [1, '2 differences\n']);
    assert.match(stdout, /^node .*: name is "OTHER", not /m);
    assert.ok(stdout.includes(`edge ${edge.start.value} -${edge.kind}-> ${edge.end.value} is missing`));
    assert.equal(compare(expected).status, 2);
  });
});
