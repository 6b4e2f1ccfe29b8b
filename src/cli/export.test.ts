import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { temporaryStore } from '../../test/server/harness.ts';
import { runKennel } from '../../test/server/processes.ts';
import { prepareStores } from '../bootstrap.ts';
import { readSettings } from '../config.ts';
import { openStores, type Stores } from '../db/open.ts';
import { insertGraph } from '../graph/store.ts';

describe('kennel export', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let stores: Stores;
  const folder = mkdtempSync(join(tmpdir(), 'kennel-export-'));
  const file = join(folder, 'graph.json');
  const run = (...args: string[]) => runKennel(['export', ...args], temporary.env);

  before(async () => {
    temporary = await temporaryStore();
    const settings = readSettings(temporary.env);
    // It stays open, as a server's would.
    stores = openStores(settings);
    await prepareStores(stores, settings, Date.now());
    const nodes = ['A', 'B'].map((id) => ({ objectId: id, kinds: ['User', 'Base'], name: id }));
    const edges = [{ start: 'A', kind: 'Knows', end: 'B' }];
    await stores.graph.transaction((graph) => insertGraph(graph, nodes, edges, Date.now()));
  });
  after(async () => {
    await stores.close();
    await temporary.remove();
    rmSync(folder, { recursive: true });
  });

  it('writes the graph to standard output, and messages elsewhere', async () => {
    const { code, stdout, stderr } = await run('--opengraph');
    assert.deepEqual([code, stderr], [0, 'exported 2 nodes and 1 edges\n']);
    const { graph } = JSON.parse(stdout);
    assert.deepEqual(
      graph.nodes.map(({ id, kinds }: { id: string; kinds: string[] }) => [id, kinds]),
      [
        ['A', ['User', 'Base']],
        ['B', ['User', 'Base']],
      ],
    );
    const [{ kind, start, end }] = graph.edges;
    assert.deepEqual(
      [kind, start, end],
      ['Knows', { match_by: 'id', value: 'A' }, { match_by: 'id', value: 'B' }],
    );
  });

  it('writes a whole file that nobody else can read, and never over another unless told to', async () => {
    const first = await run('--opengraph', file);
    assert.deepEqual([first.code, first.stdout], [0, '']);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).graph.nodes.length, 2);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    writeFileSync(file, 'mine');
    const second = await run('--opengraph', file);
    assert.deepEqual(
      [second.code, second.stderr],
      [3, `kennel: ${file} is there already: --force replaces it\n`],
    );
    assert.equal(readFileSync(file, 'utf8'), 'mine');
    assert.equal((await run('--opengraph', file, '--force')).code, 0);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).graph.edges.length, 1);
    assert.deepEqual(readdirSync(folder), ['graph.json']);
  });

  it('leaves nothing behind when it fails, and says why', async () => {
    const nowhere = join(folder, 'no-such-folder', 'graph.json');
    const { code, stderr } = await run('--opengraph', nowhere);
    assert.equal(code, 3);
    assert.match(stderr, /^kennel: cannot write .*ENOENT/);
    const none = await runKennel(['export', '--opengraph', join(folder, 'none.json')], {
      KENNEL_DATA_DIR: join(folder, 'empty'),
    });
    assert.equal(none.code, 3);
    assert.equal(existsSync(join(folder, 'none.json')), false);
  });

  it('wants to know the form', async () => {
    const { code, stderr } = await run();
    assert.deepEqual([code, stderr], [2, 'kennel: say in which form: there is --opengraph\n']);
  });
});
