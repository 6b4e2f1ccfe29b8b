import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, store, type TestServer } from '../../../test/server/harness.ts';
import type { Reader, Value } from '../../db/client.ts';
import { zoneOf } from '../../graph/node-zones.ts';
import { insertGraph } from '../../graph/store.ts';
import { readListRequest, readRows } from '../../http/list.ts';
import { memberList, membersOf } from './member-store.ts';

const size = 5000;

describe('pages of a large zone', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const { graph } = server.deps;
    const nodes = Array.from({ length: size }, (_, n) => ({
      objectId: `ID-${String(n).padStart(4, '0')}`,
      kinds: ['User'],
      name: `N${String((n * 7919) % size).padStart(4, '0')}`,
    }));
    await graph.transaction(async (graph) => {
      await insertGraph(graph, nodes, [], server.now());
      await graph.execute('insert into published_analysis (id, analysis_id) values (1, 5)');
      await graph.execute(
        "insert into analysis_zones (analysis_id, tag_id, kind) values (5, 1, 'Tag_Tier_Zero')",
      );
      for (const analysis of [4, 5])
        await graph.execute(
          `insert into node_zones (analysis_id, node_id, tag_id, source, object_id, name, kind, environment)
           select ${analysis}, id, 1, 1, object_id, name, 'User', '' from nodes`,
        );
      await graph.execute('analyze');
    });
  });
  after(() => server.stop());

  const planOf = async (sql: string, params: readonly Value[]): Promise<string> => {
    const { graph } = server.deps;
    const explain = graph.dialect === 'sqlite' ? 'explain query plan' : 'explain';
    const rows = await graph.query<Record<string, string>>(`${explain} ${sql}`, params);
    return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
  };

  async function planOfPage(raw: Record<string, string>): Promise<string> {
    const { graph } = server.deps;
    const asked: [string, readonly Value[]][] = [];
    const recorder: Reader = {
      dialect: graph.dialect,
      query: (sql, params = []) => {
        asked.push([sql, params]);
        return graph.query(sql, params);
      },
      one: (sql, params = []) => graph.one(sql, params),
    };
    const request = membersOf(readListRequest(memberList, { limit: '10', ...raw }, new Set(), []), 1);
    assert.equal((await readRows(recorder, memberList, request)).length, 10);
    return planOf(...(asked[0] as [string, readonly Value[]]));
  }

  it('are read along an index, in every order', async () => {
    const indexes = {
      name: 'node_zones_name',
      object_id: 'node_zones_object',
      primary_kind: 'node_zones_kind',
      environment_id: 'node_zones_environment',
      id: 'node_zones_tag|node_zones_pkey',
    };
    for (const [column, index] of Object.entries(indexes)) {
      const plan = await planOfPage({ sort_by: column });
      assert.match(plan, new RegExp(store === 'sqlite' ? `^SEARCH z USING INDEX (${index})` : index), plan);
      assert.doesNotMatch(plan, /TEMP B-TREE|^\s*(->)?\s*Sort\s/m, plan);
    }
  });

  it('look up the zone of a node by its number', async () => {
    const plan = await planOf(`select ${zoneOf('n')} as zone from nodes n where n.id = $1`, [1]);
    assert.doesNotMatch(plan, /SCAN (zn|zk)|Seq Scan on node_zones/, plan);
  });
});
