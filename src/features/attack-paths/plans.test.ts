import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, store, type TestServer } from '../../../test/server/harness.ts';
import type { Reader, Value } from '../../db/client.ts';
import { readListRequest } from '../../http/list.ts';
import { Search } from './search.ts';
import { findFindings, findingList, readFindingIds } from './store.ts';

const size = 5000;
const published = 7;

describe('reads of many findings', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const numbers = (n: number) => [n % 100, n % 100, n % 70, n % 70, n % 4];
    const names = ['exposure_count', 'exposure_percent', 'impact_count', 'impact_percent', 'severity'];
    const ids = Array.from({ length: size }, (_, n) => n + 1);
    await server.deps.graph.transaction(async (graph) => {
      await graph.execute('insert into published_analysis (id, analysis_id) values (1, $1)', [published]);
      await graph.bulk(
        'findings',
        [
          ...['id', 'tag_id', 'type', 'environment_id', 'source_id', 'target_id', 'since_analysis'],
          'until_analysis',
          ...names,
        ],
        [...ids, ...ids].map((n, index) => [
          ...[index + 1, 1, 'T0GenericAll', 'E', `S-${n}`, `T-${n}`, 1],
          index < size ? null : 5,
          ...numbers(n),
        ]),
      );
      for (const analysis of [published - 1, published])
        await graph.bulk(
          'finding_measures',
          ['analysis_id', 'finding_id', ...names],
          ids.map((n) => [analysis, n, ...numbers(n)]),
        );
      await graph.bulk(
        'derived_edges',
        ['analysis_id', 'start_id', 'kind_id', 'end_id'],
        ids.map((n) => [published, n, 1 + (n % 3), 1 + ((n * 7) % 500)]),
      );
      // Nobody does that on SQLite.
      if (graph.dialect === 'postgres') await graph.execute('analyze');
    });
  });
  after(() => server.stop());

  /** How the store would answer what `read` asks last. */
  async function planOf(read: (graph: Reader) => Promise<unknown>): Promise<string> {
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
    await read(recorder);
    const [sql, params] = asked.at(-1) as [string, readonly Value[]];
    const explain = graph.dialect === 'sqlite' ? 'explain query plan' : 'explain';
    const rows = await graph.query<Record<string, string>>(`${explain} ${sql}`, params);
    return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
  }
  const planOfList = (raw: Record<string, string>) =>
    planOf(async (graph) => {
      const request = readListRequest(findingList, { limit: '10', ...raw }, new Set(), []);
      assert.ok((await readFindingIds(graph, request, 0)).length > 0);
    });
  const sorts = /TEMP B-TREE|^\s*(->)?\s*Sort\s/m;
  const wholeTable = /SCAN (f|m)\b|Seq Scan on (findings|finding_measures)/;

  it('give the most severe ones of the run along an index', async () => {
    const plan = await planOfList({});
    assert.match(plan, /finding_measures_severity/, plan);
    assert.doesNotMatch(plan, sorts, plan);
  });

  it('find those of one source or target by it', async () => {
    for (const [column, value, index] of [
      ['source_id', 'S-77', 'findings_key'],
      ['target_id', 'T-77', 'findings_target'],
    ] as const) {
      const plan = await planOfList({ [column]: value });
      assert.match(plan, new RegExp(index), plan);
      assert.doesNotMatch(plan, wholeTable, plan);
    }
  });

  it('go from the end of an edge to its start', async () => {
    const { graph } = server.deps;
    const kinds = ['MemberOf', 'GenericAll'].map((name) => [name]);
    await graph.transaction((graph) => graph.bulk('edge_kinds', ['name'], kinds));
    const plan = await planOf(async (graph) => {
      const search = await Search.begin(graph, 1);
      assert.equal(await search.principalBefore([1, 2, 3]), undefined);
    });
    if (store === 'sqlite')
      assert.match(
        plan,
        /SEARCH e USING (COVERING )?INDEX derived_edges_end \(analysis_id=\? AND end_id=\?/,
        plan,
      );
    assert.doesNotMatch(plan, /SCAN [enlz]\b/, plan);
  });

  it('find one by its number, gone or not, without looking at others', async () => {
    const plan = await planOf(async (graph) => {
      const found = await findFindings(graph, [3, size + 3], 0);
      assert.deepEqual(
        found.map(({ state }) => state),
        ['active', 'remediated'],
      );
    });
    assert.doesNotMatch(plan, wholeTable, plan);
    assert.match(plan, store === 'sqlite' ? /SEARCH f USING INTEGER PRIMARY KEY/ : /findings_pkey/, plan);
  });
});
