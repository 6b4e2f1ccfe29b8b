import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { addEdge, analyseAgain, idOf, insertEstate, removeEdge } from '../../../test/graph/attack-paths.ts';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { clearTask } from '../../features/data-pipe/index.ts';
import { forgetSpells } from './spells.ts';
import { Superseded, startAnalysis, sweepAnalyses, writeAsNewest } from './store.ts';

let server: TestServer;
let token: string;

const list = async (query = 'state=gte:active&sort_by=id') => {
  const { body } = await server.call('GET', `/api/v2/attack-paths/findings?${query}`, { token });
  return body.data.findings as {
    id: number;
    type: string;
    state: string;
    first_seen: string;
    last_seen: string;
    gone_at: string | null;
    exposure_count: number;
  }[];
};
const helpdesk = async () => (await list()).filter(({ type }) => type === 'T0GenericAll');
const analyse = () => analyseAgain(server, token);
const count = async (table: string) =>
  (await server.deps.graph.one<{ n: number }>(`select cast(count(*) as bigint) as n from ${table}`))?.n;
const lastRun = async () =>
  (await server.deps.graph.one<{ id: number }>('select max(id) as id from analyses'))?.id ?? 0;
const spellsOf = (objectId: string) =>
  server.deps.graph.query<{ since: number; until: number | null }>(
    `select since_analysis as since, until_analysis as until from zone_spells where object_id = $1 order by id`,
    [objectId],
  );

beforeEach(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
  await insertEstate(server);
  await analyse();
});
afterEach(() => server.stop());

describe('a finding', () => {
  it('stays the same one from run to run, measured anew', async () => {
    const [before] = await helpdesk();
    await addEdge(server, 1002, 'MemberOf', 1101);
    await analyse();
    const [after, ...others] = await helpdesk();
    assert.deepEqual(others, []);
    assert.deepEqual([after?.id, after?.first_seen], [before?.id, before?.first_seen]);
    assert.ok((after?.last_seen ?? '') > (before?.last_seen ?? ''));
    assert.deepEqual([before?.exposure_count, after?.exposure_count], [1, 2]);
  });

  it('is gone when it is, with what was measured last, and another one when it comes back', async () => {
    await addEdge(server, 1002, 'MemberOf', 1101);
    await analyse();
    const [seen] = await helpdesk();
    await removeEdge(server, 1101, 'GenericAll', 512);
    await analyse();
    const [gone] = await helpdesk();
    assert.deepEqual([gone?.id, gone?.state, gone?.exposure_count], [seen?.id, 'remediated', 2]);
    assert.deepEqual([gone?.first_seen, gone?.last_seen], [seen?.first_seen, seen?.last_seen]);
    assert.ok((gone?.gone_at ?? '') > (gone?.last_seen ?? ''));
    const { body } = await server.call('GET', `/api/v2/attack-paths/findings/${gone?.id}`, { token });
    assert.deepEqual([body.data.state, body.data.path], ['remediated', null]);
    assert.deepEqual(
      (await list('')).filter(({ type }) => type === 'T0GenericAll'),
      [],
    );
    await addEdge(server, 1101, 'GenericAll', 512);
    await analyse();
    const [former, again] = await helpdesk();
    assert.deepEqual(former, gone);
    assert.equal(again?.state, 'active');
    assert.ok((again?.first_seen ?? '') > (former?.gone_at ?? ''));
    await analyse();
    assert.equal((await helpdesk()).length, 2);
  });

  it('is not touched by a run that never comes to be published', async () => {
    const { graph } = server.deps;
    const before = await list();
    const abandoned = await startAnalysis(graph, 0, server.now());
    await writeAsNewest(graph, abandoned, async (graph) => {
      await graph.execute(
        `insert into findings (tag_id, type, environment_id, source_id, target_id, since_analysis, exposure_count,
           exposure_percent, impact_count, impact_percent, severity)
         select tag_id, 'T0Admins', environment_id, source_id, target_id, $1, 9, 99, 9, 99, 3 from findings`,
        [abandoned],
      );
      await graph.execute(
        `insert into finding_measures (analysis_id, finding_id, exposure_count, exposure_percent, impact_count,
           impact_percent, severity) select $1, id, 9, 99, 9, 99, 3 from findings`,
        [abandoned],
      );
      await graph.execute('update findings set until_analysis = $1 where since_analysis < $1', [abandoned]);
      await graph.execute('update zone_spells set until_analysis = $1', [abandoned]);
    });
    assert.deepEqual(await list(), before);
    const { status } = await server.call('GET', `/api/v2/attack-paths/findings/${before.length + 1}`, {
      token,
    });
    assert.equal(status, 404);
    await analyse();
    const after = await list();
    assert.deepEqual(
      after.map(({ id, first_seen, state }) => [id, first_seen, state]),
      before.map(({ id, first_seen, state }) => [id, first_seen, state]),
    );
    assert.equal(await count('findings'), before.length);
    assert.equal((await spellsOf(idOf(1000))).length, 1);
    for (let turns = 0; turns < 20 && (await sweepAnalyses(graph)); turns += 1);
    assert.equal(await count('finding_measures'), before.length);
  });
});

describe('an object of a zone', () => {
  it('has a spell from the run that saw it there to the one that did not', async () => {
    const [{ since } = { since: 0 }] = await spellsOf(idOf(1000));
    await removeEdge(server, 1000, 'MemberOf', 512);
    await analyse();
    const gone = await lastRun();
    assert.deepEqual(
      (await spellsOf(idOf(1000))).map(({ since, until }) => [since, until]),
      [[since, gone]],
    );
    await addEdge(server, 1000, 'MemberOf', 512);
    await analyse();
    assert.deepEqual(
      (await spellsOf(idOf(1000))).map(({ since, until }) => [since, until]),
      [
        [since, gone],
        [await lastRun(), null],
      ],
    );
  });
});

describe('clearing the history', () => {
  const clear = async () => {
    const body = { confirm: 'delete', deleteDataQualityHistory: true };
    assert.equal((await server.call('POST', '/api/v2/clear-database', { token, body })).status, 202);
    await clearTask.run(server.deps);
  };
  const counts = () => Promise.all(['findings', 'zone_spells', 'finding_measures'].map(count));

  it('forgets findings and members of zones, and the next run makes them anew; acceptances stay', async () => {
    const [finding] = await helpdesk();
    await server.call('PUT', `/api/v2/attack-paths/findings/${finding?.id}/acceptance`, {
      token,
      body: { until: null, reason: 'Known' },
    });
    await removeEdge(server, 1002, 'ForceChangePassword', 1000);
    await analyse();
    assert.equal((await list()).length, 4);
    for (let turns = 0; turns < 20 && (await sweepAnalyses(server.deps.graph)); turns += 1);
    await clear();
    assert.deepEqual(await counts(), [0, 0, 0]);
    assert.deepEqual(await list(), []);
    await analyse();
    const made = await list();
    assert.equal(made.length, 3);
    const [again] = await helpdesk();
    assert.equal(again?.state, 'accepted');
    assert.ok((again?.first_seen ?? '') > (finding?.last_seen ?? ''));
  });

  it('makes a run that is under way start over, because it has read what is gone', async () => {
    const { graph } = server.deps;
    const running = await startAnalysis(graph, 1, server.now());
    await clear();
    await assert.rejects(
      writeAsNewest(graph, running, async () => {}),
      Superseded,
    );
  });

  it('leaves what a later run saw, from that run on', async () => {
    const { graph } = server.deps;
    const asked = server.now();
    await removeEdge(server, 1101, 'GenericAll', 512);
    await analyse();
    const [{ first_seen: before } = { first_seen: '' }] = await list('type=Kerberoasting');
    for (let turns = 0; turns < 20; turns += 1)
      if (!(await graph.transaction((graph) => forgetSpells(graph, asked, server.now())))) break;
    assert.deepEqual(await helpdesk(), []);
    const [kept] = await list('type=Kerberoasting');
    assert.ok((kept?.first_seen ?? '') > before);
    assert.equal(kept?.first_seen, kept?.last_seen);
    assert.equal((await list()).length, 3);
  });
});
