import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { forestFiles, type Random, shuffled } from '../../../../test/graph/forest.ts';
import {
  type CollectorFile,
  emptyGraph,
  ingest,
  openGraph,
  readGraph,
} from '../../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../../test/server/stores.ts';

const forests = 8;
const orders = 5;

function randomOf(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe('files of several domains', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());
  beforeEach(() => emptyGraph(stores.graph));

  async function graphOf(uploads: readonly (readonly CollectorFile[])[]): Promise<unknown> {
    await emptyGraph(stores.graph);
    for (const [index, files] of uploads.entries())
      for (const file of files) {
        const [result] = await ingest(stores.graph, file, { seenAt: 1000 + index });
        assert.deepEqual([result?.outcome, result?.warnings], ['complete', []]);
      }
    const { nodes, edges } = await readGraph(stores.graph);
    const sorted = Object.entries(nodes).map(([id, { kinds, properties }]) => [
      id,
      kinds,
      Object.entries(properties).sort(),
    ]);
    return [sorted, edges];
  }

  for (let seed = 1; seed <= forests; seed += 1)
    it(`make one graph in any order and any split into uploads, forest ${seed}`, async () => {
      const random = randomOf(seed * 7919);
      const domains = [
        ...forestFiles(random, 'CORP.LOCAL', 1 + (seed % 3)),
        ...forestFiles(random, 'OTHER.ORG', 1 + (seed % 2)),
      ];
      // One upload per domain, in the order of the domains.
      const expected = await graphOf(domains);
      assert.deepEqual(await graphOf([...domains].reverse()), expected, 'domains in reverse');
      for (let order = 0; order < orders; order += 1) {
        const uploads: CollectorFile[][] = [[]];
        for (const file of shuffled(domains.flat(), random)) {
          if (random() < 0.5) uploads.push([]);
          uploads.at(-1)?.push(file);
        }
        const name = uploads.map((files) => files.map(({ type }) => type).join('+')).join(', ');
        assert.deepEqual(await graphOf(uploads), expected, name);
      }
    });

  const root = 'S-1-5-21-1-1-1';
  const child = 'S-1-5-21-2-2-2';
  const container = (aces: readonly string[]) => ({
    ObjectIdentifier: 'AIA',
    Properties: {
      name: 'AIA@CORP',
      domainsid: root,
      distinguishedname: 'CN=AIA,CN=SERVICES,CN=CONFIGURATION,DC=CORP',
    },
    Aces: aces.map((PrincipalSID) => ({
      PrincipalSID,
      PrincipalType: 'User',
      RightName: 'GenericAll',
      IsInherited: false,
    })),
  });
  const users = (domainsid: string) => ({
    ObjectIdentifier: `USERS OF ${domainsid}`,
    Properties: { domainsid, distinguishedname: 'CN=USERS,DC=CORP' },
    Aces: [],
  });
  const file = (...data: object[]) => ({ type: 'containers', data });
  const rights = async () =>
    Object.keys((await readGraph(stores.graph)).edges).filter((edge) => edge.endsWith('GenericAll AIA'));

  it('take back what they said themselves about the forest', async () => {
    await ingest(stores.graph, file(users(root), container(['A', 'B'])));
    await ingest(stores.graph, file(container(['A']), users(root)));
    assert.deepEqual(await rights(), ['A GenericAll AIA']);
  });

  it('take back the forest in a file of nothing else, which names one domain', async () => {
    await ingest(stores.graph, file(container(['A', 'B'])));
    const [result] = await ingest(stores.graph, file(container(['A'])));
    assert.deepEqual(await rights(), ['A GenericAll AIA']);
    assert.equal(result?.withdrawn, 1);
  });

  it('neither take back what another domain says nor lose what they say to it', async () => {
    await ingest(stores.graph, file(users(root), container(['A', 'B'])));
    await ingest(stores.graph, file(users(child), container(['A', 'C'])));
    assert.deepEqual(
      await rights(),
      ['A', 'B', 'C'].map((id) => `${id} GenericAll AIA`),
    );
    await ingest(stores.graph, file(users(root), container([])));
    assert.deepEqual(
      await rights(),
      ['A', 'C'].map((id) => `${id} GenericAll AIA`),
    );
  });

  it("speak for their job's domains, whatever they hold", async () => {
    const of = (...domains: string[]) => ({ domains: new Set(domains) });
    await ingest(stores.graph, file(container(['A', 'B'])), of(root));
    await ingest(stores.graph, file(container([])), of(child));
    assert.deepEqual(
      await rights(),
      ['A', 'B'].map((id) => `${id} GenericAll AIA`),
    );
    await ingest(stores.graph, file(container(['A'])), of(child, root));
    assert.deepEqual(await rights(), ['A GenericAll AIA']);
  });

  it('say what an object is like until its own domain does', async () => {
    const named = (name: string) => ({ ...container([]), Properties: { ...container([]).Properties, name } });
    const nameNow = async () => (await readGraph(stores.graph)).nodes.AIA?.properties.name;
    for (const [speaker, name, expected] of [
      [child, 'first', 'FIRST'],
      [child, 'second', 'SECOND'],
      [root, 'own', 'OWN'],
      [child, 'third', 'OWN'],
    ] as const) {
      await ingest(stores.graph, file(users(speaker), named(name)));
      assert.equal(await nameNow(), expected);
    }
  });
});
