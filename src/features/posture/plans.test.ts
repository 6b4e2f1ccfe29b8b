import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { environmentId, fillPosture, lastDay } from '../../../bench/estate.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import type { Reader, Value } from '../../db/client.ts';
import { readListRequest, readRows } from '../../http/list.ts';
import { day } from '../../values/time.ts';
import { countFindings, countObjects, type DiffQuery, findRunInForce } from './diff-store.ts';
import { inRange, statsList } from './stats-list.ts';
import { readPosture } from './store.ts';

const days = 1500;

describe('a month of a long history', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    const { graph } = server.deps;
    await fillPosture(graph, { days, environments: 2 });
    await graph.transaction(async (graph) => {
      await graph.execute(
        `insert into posture_stats (run_id, finished_at, tag_id, environment_id, exposed, principals, assets, critical_findings)
         select r.id, r.finished_at, 1, 'E', 1, 2, 3, 4 from analysis_runs r`,
      );
      await graph.execute(
        'insert into analyses (started_at, request_id, published_at) select started_at, 0, finished_at from analysis_runs order by finished_at',
      );
      await graph.execute(
        `insert into findings (tag_id, type, environment_id, source_id, target_id, since_analysis, until_analysis,
           exposure_count, exposure_percent, impact_count, impact_percent, severity)
         select 1, 'T0GenericAll', 'E', 'S', 'T', id, id + 1, 1, 1, 1, 1, 0 from analyses`,
      );
      await graph.execute(
        `insert into zone_spells (tag_id, object_id, environment_id, since_analysis, until_analysis)
         select 1, 'O', 'E', id, id + 1 from analyses`,
      );
      await graph.execute('analyze');
    });
  });
  after(() => server.stop());

  /** The plans of all that is asked for. */
  async function plansOf(work: (graph: Reader) => Promise<unknown>): Promise<string> {
    const { graph } = server.deps;
    const asked: [string, readonly Value[]][] = [];
    const note = (sql: string, params: readonly Value[] = []) => {
      asked.push([sql, params]);
    };
    await work({
      dialect: graph.dialect,
      query: (sql, params) => {
        note(sql, params);
        return graph.query(sql, params);
      },
      one: (sql, params) => {
        note(sql, params);
        return graph.one(sql, params);
      },
    });
    const explain = graph.dialect === 'sqlite' ? 'explain query plan' : 'explain';
    const plans: string[] = [];
    for (const [sql, params] of asked) {
      const rows = await graph.query<Record<string, string>>(`${explain} ${sql}`, params);
      plans.push(...rows.map((row) => row.detail ?? row['QUERY PLAN'] ?? ''));
    }
    return plans.join('\n');
  }

  const range = { start: lastDay - 30 * day, end: lastDay };
  const wholeTable = /SCAN (analysis_runs|posture_points|posture_stats|analyses|s|p|r)\b|Seq Scan/;

  it('of a series is read along indexes', async () => {
    const query = { ...range, dataType: 'findings' as const, tags: [0, 1] };
    const plan = await plansOf(async (graph) => {
      const points = await readPosture(graph, {
        ...query,
        environments: [environmentId(1), environmentId(2)],
      });
      assert.equal(points.length, 30);
    });
    assert.doesNotMatch(plan, wholeTable, plan);
  });

  it('of the rows of posture-stats is read along an index, however they are filtered', async () => {
    for (const raw of [
      {},
      { domain_sid: 'E' },
      { exposure_index: 'gt:0.1' },
      { sort_by: 'exposure_index' },
    ]) {
      const request = inRange(readListRequest(statsList, raw, new Set(), []), range.start, range.end);
      const plan = await plansOf(async (graph) => {
        assert.equal((await readRows(graph, statsList, request)).length, 30);
      });
      assert.doesNotMatch(plan, wholeTable, plan);
    }
  });

  it('begins with the run that was in force, found by its time', async () => {
    const plan = await plansOf(async (graph) => {
      const run = await findRunInForce(graph, range.start + 1);
      assert.equal(run?.publishedAt, range.start);
    });
    assert.match(plan, /analyses_published/, plan);
  });

  it('is compared without going through what was over by then', async () => {
    const { graph } = server.deps;
    const to = await findRunInForce(graph, range.end);
    const from = await findRunInForce(graph, range.start);
    assert.ok(from !== undefined && to !== undefined);
    const query: DiffQuery = { from, to, environments: ['E'], tags: [0, 1] };
    for (const [read, index] of [
      [countFindings, 'findings_lasting'],
      [countObjects, 'zone_spells_environment'],
    ] as const) {
      const plan = await plansOf(async (graph) => {
        const [count] = await read(graph, query);
        assert.deepEqual([count?.change, count?.count], ['unchanged', 1]);
      });
      const [open, over] =
        graph.dialect === 'sqlite'
          ? [new RegExp(`${index} .*until_analysis=\\?`), new RegExp(`${index} .*until_analysis>\\?`)]
          : [/Index Cond: .*until_analysis IS NULL/, /Index Cond: .*until_analysis > /];
      assert.match(plan, open, plan);
      assert.match(plan, over, plan);
    }
  });
});
