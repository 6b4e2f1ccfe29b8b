import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, store, type TestServer } from '../../../test/server/harness.ts';
import type { Reader, Value } from '../../db/client.ts';
import { insertGraph } from '../../graph/store.ts';
import { readNodes, searchNodes } from './store.ts';

describe('reads of a large graph', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const users = Array.from({ length: 2500 }, (_, n) => ({
      objectId: `S-${n}`,
      kinds: ['User'],
      name: `U${n}`,
    }));
    const domain = { objectId: 'D-1', kinds: ['Domain', 'Base'], name: 'U0.EXAMPLE' };
    await server.deps.graph.transaction((graph) => insertGraph(graph, [...users, domain], [], server.now()));
  });
  after(() => server.stop());

  it('finds the same with a common kind, a rare one and none', async () => {
    const { graph } = server.deps;
    const idsOf = async (kind: string | undefined) => {
      const nodes = await readNodes(graph, await searchNodes(graph, { text: 'U0', kind, most: 10 }));
      return nodes.map(({ objectId }) => objectId);
    };
    assert.deepEqual(await idsOf(undefined), ['S-0', 'D-1']);
    assert.deepEqual(await idsOf('user'), ['S-0']);
    assert.deepEqual(await idsOf('domain'), ['D-1']);
  });

  // Only SQLite tells its plan in a form that does not depend on the size of the tables.
  if (store === 'postgres') return;

  const planOf = async (sql: string, params: readonly Value[]): Promise<string> => {
    const rows = await server.deps.graph.query<{ detail: string }>(`explain query plan ${sql}`, params);
    return rows.map(({ detail }) => detail).join('\n');
  };

  /** The plans of all statements that look for nodes. */
  async function plansOf(work: (graph: Reader) => Promise<unknown>): Promise<string[]> {
    const asked: [string, readonly Value[]][] = [];
    const { graph } = server.deps;
    const recorder: Reader = {
      dialect: graph.dialect,
      query: (sql, params = []) => {
        if (sql.includes('order by')) asked.push([sql, params]);
        return graph.query(sql, params);
      },
      one: (sql, params = []) => graph.one(sql, params),
    };
    await work(recorder);
    return Promise.all(asked.map(([sql, params]) => planOf(sql, params)));
  }

  it('searches by the beginning of a name or id in their index, with a common kind too', async () => {
    for (const kind of [undefined, 'user']) {
      const plans = await plansOf((graph) => searchNodes(graph, { text: 'U1', kind, most: 2000 }));
      assert.equal(plans.length, 3);
      for (const plan of plans)
        assert.match(plan, /^SEARCH n USING (COVERING )?INDEX (nodes_name|sqlite_auto)/);
    }
  });

  it('looks through the nodes of a rare kind one by one', async () => {
    const plans = await plansOf((graph) => searchNodes(graph, { text: 'U0', kind: 'domain', most: 10 }));
    assert.match(plans[1] ?? '', /nodes_kind_list/);
  });
});
