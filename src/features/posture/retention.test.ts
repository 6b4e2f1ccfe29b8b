import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { add, analyse, estate, north, remove, takesOver } from '../../../test/graph/posture-estate.ts';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { day, formatRfc3339 } from '../../values/time.ts';
import { forgetOldPosture } from './retention.ts';

describe('KENNEL_POSTURE_RETENTION_DAYS', () => {
  let server: TestServer;
  let token: string;
  const runs: number[] = [];
  before(async () => {
    server = await startTestServer({ KENNEL_POSTURE_RETENTION_DAYS: '100' });
    token = (await makeUser(server.deps, 'Read-Only')).token;
  });
  after(() => server.stop());

  const all = async (sql: string) =>
    (await server.deps.graph.query<{ value: number | string }>(sql)).map(({ value }) => value);
  const state = async () => ({
    runs: await all('select finished_at as value from analysis_runs order by 1'),
    points: await all(
      'select distinct finished_at as value from posture_points p join analysis_runs r on r.id = p.run_id order by 1',
    ),
    stats: await all('select distinct finished_at as value from posture_stats order by 1'),
    published: await all(
      'select published_at as value from analyses where published_at is not null order by 1',
    ),
    sources: await all('select source_id as value from findings order by 1'),
  });
  const forget = async (settings = server.deps.settings) => {
    for (let turn = 0; turn < 5; turn += 1) await forgetOldPosture({ ...server.deps, settings });
  };
  const diff = async (from: number) => {
    const query = `from=${formatRfc3339(from)}&environments=${north}`;
    return server.call('GET', `/api/v2/posture-diff?${query}`, { token });
  };

  it('keeps what can be asked for within that time, and what a finding that lasts began with', async () => {
    const run = async (days: number) => {
      runs.push(await analyse(server.deps));
      server.advance(days * day);
    };
    await add(server.deps, estate, [takesOver(north, 1101)]);
    await run(10);
    await add(server.deps, [], [takesOver(north, 1102)]);
    await run(10);
    await run(10);
    await remove(server.deps, takesOver(north, 1102));
    await add(server.deps, [], [takesOver(north, 1103)]);
    await run(10);
    await remove(server.deps, takesOver(north, 1103));
    await run(30);
    const before = await state();
    assert.equal(before.sources.length, 3);
    await forget();
    assert.deepEqual(await state(), before, 'all of it is young');

    // 100 days ago lies between the fourth run and the fifth.
    server.advance(65 * day);
    await forget({ ...server.deps.settings, postureRetentionDays: 0 });
    assert.deepEqual(await state(), before, '0 is for ever');
    const limit = server.now() - 100 * day;
    assert.ok((runs[3] as number) < limit && limit < (runs[4] as number));
    token = (await makeUser(server.deps, 'Read-Only')).token;
    const asked = (await diff(limit)).body.data;
    assert.deepEqual([asked.findings.gone.count, asked.findings.unchanged], [1, 1]);
    await forget();
    const [first, , , fourth, fifth] = runs;
    assert.deepEqual(await state(), {
      runs: [fourth, fifth],
      points: [fourth, fifth],
      stats: [fourth, fifth],
      published: [first, fourth, fifth],
      sources: [`${north}-1101`, `${north}-1103`],
    });
    const { to, ...rest } = (await diff(limit)).body.data;
    assert.deepEqual(rest, { ...rest, from: asked.from, measures: asked.measures, findings: asked.findings });
    assert.equal(to.analysis_at, asked.to.analysis_at);
    token = (await makeUser(server.deps, 'Read-Only')).token;
  });

  it('never deletes the run that is published, however old', async () => {
    server.advance(1000 * day);
    token = (await makeUser(server.deps, 'Read-Only')).token;
    await forget();
    const [first, , , , fifth] = runs;
    assert.deepEqual(await state(), {
      runs: [fifth],
      points: [fifth],
      stats: [fifth],
      published: [first, fifth],
      sources: [`${north}-1101`],
    });
    const { findings } = (await diff((fifth as number) + 1)).body.data;
    assert.deepEqual([findings.before, findings.after], [1, 1]);
    await analyse(server.deps);
    assert.equal((await state()).runs.length, 2);
    const [item] = await all(
      'select a.published_at as value from findings f join analyses a on a.id = f.since_analysis',
    );
    assert.equal(item, first);
  });
});
