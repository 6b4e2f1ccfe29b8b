import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { zip } from '../../../../test/collectors/zip.ts';
import {
  collectorFile,
  emptyGraph,
  ingest,
  openGraph,
  readGraph,
  sourceOf,
} from '../../../../test/graph/graph-files.ts';
import { store } from '../../../../test/server/harness.ts';
import { within } from '../../../../test/server/processes.ts';
import type { TestStores } from '../../../../test/server/stores.ts';
import { defaultIngestLimits, ingestFile } from '../ingest-file.ts';
import { writerLock } from './apply-file.ts';

const group = (id: string, ...ids: string[]) => ({
  ObjectIdentifier: id,
  Properties: { name: id, distinguishedname: `CN=${id}` },
  Aces: [],
  Members: ids.map((member) => ({ ObjectIdentifier: member, ObjectType: 'User' })),
});
const many = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => group(`G${from + index}`, 'U'));
const groups = (...data: unknown[]) => collectorFile({ type: 'groups', data });

describe('a file', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());
  beforeEach(() => emptyGraph(stores.graph));

  const counts = async () => {
    const { nodes, edges } = await readGraph(stores.graph);
    return [Object.keys(nodes).length, Object.keys(edges).length];
  };
  const chunks = async () => (await stores.graph.query('select number from staged_chunks')).length;

  it('is applied once under its id, and tells the same afterwards', async () => {
    const { graph } = stores;
    const first = await ingest(graph, groups(group('G', 'A')), { fileId: 'one' });
    const second = await ingest(graph, groups(group('G', 'B')), { fileId: 'one' });
    assert.deepEqual(second, first);
    assert.deepEqual(Object.keys((await readGraph(graph)).edges), ['A MemberOf G']);
  });

  it('leaves everything as it was when a record in the middle is bad, and says which', async () => {
    const { graph } = stores;
    await ingest(graph, groups(group('G0', 'A', 'B')));
    const had = await readGraph(graph);
    const bad = groups(...many(0, 1500), { Properties: {} }, ...many(1500, 1600), 7);
    const [result] = await ingest(graph, bad, { fileId: 'bad' });
    assert.equal(result?.outcome, 'failed');
    assert.equal(result.errors.length, 2);
    const offset = bad.indexOf('{"Properties":{}}');
    assert.match(
      result.errors[0] ?? '',
      new RegExp(`^record 1500 of data, byte ${offset}: .*ObjectIdentifier`),
    );
    assert.deepEqual(await readGraph(graph), had);
    assert.equal(await chunks(), 0);
    const [again] = await ingest(graph, groups(group('H', 'C')), { fileId: 'bad' });
    assert.equal(again?.outcome, 'complete');
  });

  it('leaves everything as it was when it ends too early', async () => {
    const { graph } = stores;
    const whole = groups(...many(0, 2500));
    const [result] = await ingest(graph, whole.slice(0, -400));
    assert.equal(result?.outcome, 'failed');
    assert.equal(result.errors.length, 1);
    assert.deepEqual(await counts(), [0, 0]);
    assert.equal(await chunks(), 0);
  });

  it('is not read when nothing reads its type', async () => {
    const [result] = await ingest(stores.graph, collectorFile({ type: 'cats', data: [] }));
    assert.equal(result?.outcome, 'failed');
    assert.match(result.errors[0] ?? '', /"cats".*must be one of/);
  });

  it('can be canceled while it is applied, and then changes nothing', async () => {
    const { graph } = stores;
    let read = 0;
    const [result] = await ingest(graph, groups(...many(0, 2500)), {
      onProgress: ({ records }) => {
        read = records;
      },
      isCanceled: () => read > 0,
    });
    assert.deepEqual([result?.outcome, result?.errors], ['failed', ['it was canceled']]);
    assert.deepEqual(await counts(), [0, 0]);
    assert.equal(await chunks(), 0);
  });

  it('gives a sign while its end is looked for, and can be canceled then', async () => {
    let given = 0;
    const source = {
      name: 'a.json',
      size: 1000,
      async *open() {
        yield Buffer.from('{"data":[0');
        for (; given < 100; given += 1) yield Buffer.from(',0');
      },
    };
    let told = 0;
    const [result] = await ingestFile(stores.graph, source, {
      fileId: 'looked at',
      seenAt: 1,
      limits: defaultIngestLimits,
      onProgress: () => {
        told += 1;
      },
      isCanceled: () => told > 10,
    });
    assert.deepEqual([result?.outcome, result?.errors], ['failed', ['it was canceled']]);
    assert.ok(given < 20, `${given} pieces were read`);
  });

  it('tells how far it is', async () => {
    const body = groups(...many(0, 2500));
    const told: { bytes: number; records: number }[] = [];
    await ingest(stores.graph, body, { onProgress: (progress) => told.push(progress) });
    assert.deepEqual(told.at(-1), { bytes: body.length, records: 2500 });
    assert.ok(told.every((progress, index) => progress.records >= (told[index - 1]?.records ?? 0)));
    assert.deepEqual(await counts(), [2501, 2500]);
    assert.equal(await chunks(), 0);
  });

  it('tells of what was left out, in bounds', async () => {
    const aces = [{ PrincipalSID: 'P', PrincipalType: 'User', RightName: 'Nonsense', IsInherited: false }];
    const data = many(0, 100).map((one) => ({ ...one, Aces: aces }));
    const [result] = await ingest(stores.graph, groups(...data));
    assert.equal(result?.outcome, 'complete');
    assert.equal(result.warnings.length, 51);
    assert.match(result.warnings[0] ?? '', /^record 0 of data, byte \d+: data\[0\]\.Aces\[0\]/);
    assert.equal(result.warnings[50], 'and 50 more warnings');
  });

  it('counts items that are not read yet', async () => {
    const item = (kind: string) => ({ kind, data: { id: 'x' } });
    const data = [
      item('AZNews'),
      item('AZNews'),
      { kind: 'AZTenant', data: { tenantId: 't', displayName: 'T' } },
    ];
    const [result] = await ingest(stores.graph, collectorFile({ type: 'azure', data, methods: 0 }));
    assert.deepEqual([result?.outcome, result?.skipped], ['complete', { AZNews: 2 }]);
  });

  describe('that is an archive', () => {
    const archive = (middle: string) =>
      zip([
        { name: 'a.json', content: groups(group('A', 'U')) },
        { name: 'b.json', content: middle },
        { name: '__MACOSX/x', content: 'junk' },
        { name: 'c.json', content: groups(group('C', 'U')) },
      ]);

    it('has a result for every entry, and the good ones are applied', async () => {
      const { graph } = stores;
      const results = await ingest(graph, archive('{"data":'), { fileId: 'zip' });
      assert.deepEqual(
        results.map(({ name, archive, outcome }) => [name, archive, outcome]),
        [
          ['a.json', 'file.json', 'complete'],
          ['b.json', 'file.json', 'failed'],
          ['c.json', 'file.json', 'complete'],
        ],
      );
      assert.deepEqual(await counts(), [3, 2]);
    });

    it('goes on with what was not finished', async () => {
      const { graph } = stores;
      await ingest(graph, archive('{"data":'), { fileId: 'zip' });
      const results = await ingest(graph, archive(groups(group('B', 'V'))), { fileId: 'zip' });
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['complete', 'complete', 'complete'],
      );
      assert.deepEqual(await counts(), [5, 3]);
      // Now it is done: its bytes are not needed any more.
      const source = { ...sourceOf(''), open: () => assert.fail('it was read again') };
      const options = { fileId: 'zip', seenAt: 1, limits: defaultIngestLimits };
      assert.deepEqual(await ingestFile(graph, source, options), results);
    });

    it('fails as a whole when its list of entries is damaged', async () => {
      const [result, ...others] = await ingest(stores.graph, archive('').subarray(0, -30));
      assert.deepEqual([result?.outcome, others.length], ['failed', 0]);
    });
  });

  describe('beside others', () => {
    it('waits for its turn, whoever applies them', async () => {
      const again = stores.openAgain();
      const graphs = [stores.graph, again.graph];
      // The same groups in opposite order: writers without a common lock would block each other.
      const all = many(0, 1200);
      const bodies = [groups(...all), groups(...[...all].reverse())];
      const results = await Promise.all(
        [0, 1, 2, 3].map((index) =>
          ingest(graphs[index % 2] ?? stores.graph, bodies[index % 2] ?? '', { seenAt: 5 }),
        ),
      );
      assert.ok(results.every(([result]) => result?.outcome === 'complete'));
      assert.deepEqual(await counts(), [1201, 1200]);
    });

    // On SQLite a transaction of another handle would hold up this very process.
    if (store === 'postgres') {
      it('gives a sign while it waits for its turn', async () => {
        const again = stores.openAgain();
        let signs = 0;
        let isHeld = () => {};
        const held = new Promise<void>((resolve) => {
          isHeld = resolve;
        });
        const holder = again.graph.transaction(async (db) => {
          await db.lock(writerLock);
          isHeld();
          // The first one comes with its only record, the others can only come from waiting.
          await within(30_000, 'it waits in silence', async () => (signs >= 3 ? true : undefined));
        });
        await held;
        const onProgress = ({ records }: { records: number }) => {
          if (records === 1) signs += 1;
        };
        const [[result]] = await Promise.all([
          ingest(stores.graph, groups(group('G', 'A')), { onProgress }),
          holder,
        ]);
        assert.equal(result?.outcome, 'complete');
      });
    }

    it('is applied once when two apply it at the same time', async () => {
      const again = stores.openAgain();
      const body = groups(...many(0, 1200));
      const results = await Promise.all(
        [stores.graph, again.graph].map((graph) => ingest(graph, body, { fileId: 'same', seenAt: 5 })),
      );
      assert.deepEqual(results[0], results[1]);
      assert.equal((await stores.graph.query('select id from applied_files')).length, 1);
      assert.equal(await chunks(), 0);
    });

    it('is applied in full when another file came between its reading and its turn', async () => {
      const { graph } = stores;
      const body = groups(group('G', 'A', 'B'), ...many(0, 1500));
      await ingest(graph, body);
      const meanwhile = () => ingest(graph, groups(group('G', 'A')));
      // SQLite reads a file when its turn has come, so there is no such time.
      if (store === 'sqlite') await meanwhile();
      let passes = 0;
      const open = async function* () {
        passes += 1;
        const middle = body.indexOf('"G1400"');
        yield Buffer.from(body.slice(0, middle));
        if (passes === 2 && store === 'postgres') await meanwhile();
        yield Buffer.from(body.slice(middle));
      };
      const options = { fileId: 'raced', seenAt: 1_000_000, limits: defaultIngestLimits };
      const [result] = await ingestFile(graph, { ...sourceOf(body), open }, options);
      assert.equal(result?.unchanged, store === 'postgres' ? 0 : 1500);
      const { edges } = await readGraph(graph);
      assert.ok(Object.hasOwn(edges, 'B MemberOf G'));
    });
  });
});
