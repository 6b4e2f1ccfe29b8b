import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { add, analyse, fourRuns, north, south } from '../../../test/graph/posture-estate.ts';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { formatRfc3339 } from '../../values/time.ts';

const at = formatRfc3339;

let server: TestServer;
let token: string;
/** When each of the four runs was published. */
let runs: readonly number[];

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps, 'Read-Only')).token;
  runs = await fourRuns(server);
});
after(() => server.stop());

type Query = Record<string, string | readonly string[]>;
const ask = (query: Query, headers: Record<string, string> = {}) => {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  return server.call('GET', `/api/v2/posture-diff?${new URLSearchParams(pairs as [string, string][])}`, {
    token,
    headers,
  });
};
const between = (first: number, last: number) => ({
  from: at(runs[first] as number),
  to: at((runs[last] as number) + 1),
});
const diff = async (first: number, last: number, environments: readonly string[], more: Query = {}) => {
  const answer = await ask({ ...between(first, last), environments, ...more });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
};
const sources = (list: { items: { source_id: string }[] }) =>
  list.items.map(({ source_id }) => source_id).sort();
const measuresOf = (data: {
  measures: { data_type: string; before: number; after: number; difference: number }[];
}) =>
  Object.fromEntries(
    data.measures.map(({ data_type, before, after, difference }) => [data_type, [before, after, difference]]),
  );

describe('GET /api/v2/posture-diff', () => {
  it('answers 200 with what came, went and stayed, and the measures that follow from it', async () => {
    const data = await diff(0, 2, [north]);
    const { findings, zone } = data;
    assert.deepEqual(
      [findings.before, findings.after, findings.unchanged, findings.came_and_went],
      [1, 2, 0, 1],
    );
    assert.deepEqual(sources(findings.gone), [`${north}-1101`]);
    assert.deepEqual(sources(findings.new), [`${north}-1102`, `${north}-1204`]);
    const [gone] = findings.gone.items;
    assert.deepEqual([gone.first_seen, gone.gone_at], [at(runs[0] as number), at(runs[2] as number)]);
    const roasting = findings.new.items.find(({ type }: { type: string }) => type === 'Kerberoasting');
    assert.deepEqual(roasting, {
      id: roasting.id,
      type: 'Kerberoasting',
      severity: 'low',
      asset_group_tag_id: 0,
      environment_id: north,
      source_id: `${north}-1204`,
      source_name: 'USER 1204',
      target_id: `${north}-1204`,
      target_name: 'USER 1204',
      exposure_count: 0,
      impact_count: 1,
      first_seen: at(runs[2] as number),
    });
    assert.deepEqual(findings.by_type, [
      { type: 'Kerberoasting', severity: 'low', new: 1, gone: 0, unchanged: 0, came_and_went: 0 },
      { type: 'T0GenericAll', severity: 'low', new: 1, gone: 1, unchanged: 0, came_and_went: 1 },
    ]);
    // One of four principals, then one of five; a user that reaches nobody counts itself.
    assert.deepEqual(measuresOf(data), {
      findings: [1, 2, 1],
      exposure: [25, 20, -5],
      assets: [2, 2, 0],
      'session-completeness': [null, null, null],
      'group-completeness': [null, null, null],
      'attack-paths': [1, 2, 1],
    });
    assert.deepEqual([zone.before, zone.after, zone.entered.count, zone.left.count], [2, 2, 0, 0]);
  });

  it('answers 200 with the objects that entered and left the zone', async () => {
    const entered = {
      object_id: `${south}-1201`,
      name: 'USER 1201',
      environment_id: south,
      asset_group_tag_id: 1,
    };
    const { zone } = await diff(1, 2, [south]);
    assert.deepEqual(zone, {
      before: 2,
      after: 3,
      entered: { count: 1, truncated: false, items: [entered] },
      left: { count: 0, truncated: false, items: [] },
    });
    assert.deepEqual((await diff(1, 2, [north])).zone.entered.items, []);
    const hygiene = await diff(1, 2, [south], { asset_group_tag_id: '0' });
    assert.deepEqual(
      [hygiene.zone.before, hygiene.zone.after, measuresOf(hygiene).assets],
      [0, 0, [null, null, null]],
    );
  });

  it('answers 200 with several environments combined', async () => {
    const data = await diff(0, 1, [north, south, north.toLowerCase()]);
    assert.deepEqual(data.environments, [north, south, north.toLowerCase()]);
    assert.deepEqual([data.findings.new.count, data.findings.unchanged], [3, 1]);
    // One of eight, then four of eight.
    assert.deepEqual(measuresOf(data).exposure, [13, 50, 37]);
    assert.deepEqual((await diff(0, 1, ['NOBODY'])).findings.before, 0);
  });

  it('answers 200 with the run in force at each time, and what came back as unchanged', async () => {
    const data = await diff(0, 3, [north]);
    assert.deepEqual(
      [data.from.analysis_at, data.to.analysis_at],
      [at(runs[0] as number), at(runs[3] as number)],
    );
    assert.deepEqual([data.findings.unchanged, data.findings.gone.count], [1, 0]);
    assert.deepEqual(sources(data.findings.new), [`${north}-1102`, `${north}-1204`]);
    const same = (
      await ask({ from: at((runs[1] as number) + 5), to: at((runs[1] as number) + 9), environments: north })
    ).body.data;
    assert.deepEqual([same.from.analysis_at, same.to.analysis_at], Array(2).fill(at(runs[1] as number)));
    assert.deepEqual([same.findings.unchanged, same.findings.new.count, same.findings.gone.count], [3, 0, 0]);
    assert.deepEqual(measuresOf(same).findings, [3, 3, 0]);
    const now = await ask({ from: at(runs[0] as number), environments: north });
    assert.deepEqual(now.body.data.findings, data.findings);
    assert.equal(now.headers.get('etag'), null);
  });

  it('adds up, whatever the times, environments and tag', async () => {
    for (let first = 0; first < 4; first += 1)
      for (let last = first; last < 4; last += 1)
        for (const environments of [[north], [south], [north, south]])
          for (const more of [{}, { asset_group_tag_id: '0' }, { asset_group_tag_id: '1' }]) {
            const data = await diff(first, last, environments, more);
            const { findings, zone } = data;
            const { findings: counted, assets } = measuresOf(data);
            assert.equal(findings.new.count + findings.unchanged, findings.after);
            assert.equal(findings.gone.count + findings.unchanged, findings.before);
            assert.deepEqual([findings.before, findings.after], counted?.slice(0, 2));
            if (assets?.[0] !== null) assert.deepEqual([zone.before, zone.after], assets?.slice(0, 2));
            assert.equal(zone.after - zone.before, zone.entered.count - zone.left.count);
            for (const change of ['new', 'gone', 'unchanged', 'came_and_went'] as const) {
              const sum = findings.by_type.reduce(
                (total: number, entry: Record<string, number>) => total + (entry[change] ?? 0),
                0,
              );
              assert.equal(sum, findings[change].count ?? findings[change], change);
            }
            const keys = (list: { items: { id: number }[] }) => list.items.map(({ id }) => id);
            assert.equal(
              new Set([...keys(findings.new), ...keys(findings.gone)]).size,
              findings.new.count + findings.gone.count,
            );
          }
  });

  it('answers 200 with as many of each list as asked for, and says when there are more', async () => {
    const { findings } = await diff(0, 1, [north, south], { limit: '2' });
    assert.deepEqual([findings.new.count, findings.new.items.length, findings.new.truncated], [3, 2, true]);
    const none = await diff(0, 1, [north, south], { limit: '0' });
    assert.deepEqual([none.findings.new.items.length, none.findings.gone.truncated], [0, false]);
    assert.equal(none.findings.new.truncated, true);
    assert.equal((await ask({ ...between(0, 1), environments: north, limit: '10001' })).status, 400);
  });

  it('answers 200 with one table in CSV', async () => {
    const answer = await ask({ ...between(0, 2), environments: [north, south] }, { accept: 'text/csv' });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
    const lines = answer.text.split('\r\n').map((line) => line.split(','));
    assert.deepEqual(lines.pop(), ['']);
    assert.ok(lines.every((cells) => cells.length === 14));
    const [, ...rest] = lines;
    const first = (section: string) => rest.filter(([name]) => name === section);
    assert.deepEqual(first('measure')[1], ['measure', 'exposure', '13', '20', '7', ...Array(9).fill('')]);
    assert.equal(first('measure').length, 6);
    assert.deepEqual(
      first('count').map(([, item, , , count]) => [item, count]),
      [
        ['new findings', '3'],
        ['gone findings', '1'],
        ['unchanged findings', '0'],
        ['findings that came and went', '1'],
        ['objects that entered', '1'],
        ['objects that left', '0'],
      ],
    );
    assert.equal(first('new finding').length, 3);
    assert.deepEqual(first('gone finding')[0]?.slice(5), [
      ...['low', '1', north, `${north}-1101`, 'USER 1101', `${north}-512`, `ADMINS OF ${north}`],
      ...['1', '0'],
    ]);
    assert.deepEqual(first('object entered')[0]?.slice(6), [
      '1',
      south,
      '',
      '',
      `${south}-1201`,
      'USER 1201',
      '',
      '',
    ]);
  });

  it('answers 200 with items that account for the change of attack paths', async () => {
    for (const [first, last] of [
      [0, 1],
      [1, 2],
      [2, 3],
    ] as const) {
      const data = await diff(first, last, [north]);
      const paths = (list: { items: Record<string, number>[] }) =>
        list.items.reduce(
          (sum, item) =>
            sum + ((item.asset_group_tag_id === 0 ? item.impact_count : item.exposure_count) ?? Number.NaN),
          0,
        );
      // Nobody comes to or leaves those that stay.
      const { new: came, gone } = data.findings;
      assert.equal(paths(came) - paths(gone), measuresOf(data)['attack-paths']?.[2]);
    }
  });

  it('answers 400 when from is not before to, is missing or no time, or no environment is named', async () => {
    const [from, to] = [at(runs[1] as number), at(runs[0] as number)];
    for (const [query, context, message] of [
      [{ from, to, environments: north }, 'from', /^from must be before to$/],
      [{ from, to: from, environments: north }, 'from', /^from must be before to$/],
      [{ from: '2999-01-01T00:00:00Z', environments: north }, 'from', /^from must be before to$/],
      [{ environments: north }, 'from', /./],
      [{ from: 'yesterday', environments: north }, 'from', /RFC 3339/],
      [{ from: to, to: from }, 'environments', /./],
    ] as const) {
      const [problem] = assertEnvelope(await ask(query), 400);
      assert.equal(problem?.context, context, JSON.stringify(query));
      assert.match(problem?.message ?? '', message);
    }
  });

  it('answers 404 when nothing was analysed by from, and for an unknown tag', async () => {
    const early = assertEnvelope(await ask({ from: '2020-01-01T00:00:00Z', environments: north }), 404);
    assert.deepEqual(early, [
      {
        context: 'from',
        message: `no analysis was published by 2020-01-01T00:00:00Z: the first that is known was at ${at(runs[0] as number)}`,
      },
    ]);
    const [problem] = assertEnvelope(
      await ask({ ...between(0, 1), environments: north, asset_group_tag_id: '9' }),
      404,
    );
    assert.equal(problem?.message, 'asset group tag 9 does not exist');
  });

  it('answers 200 with the id of what has no name', async () => {
    const { deps } = server;
    // Of no domain, so that analysis has nothing to call it either.
    const stranger = { objectId: 'STRANGER-1000', kinds: ['Base'], name: '', properties: {} };
    const edge = { start: stranger.objectId, kind: 'GenericAll', end: `${north}-512` };
    await add(deps, [stranger], [edge]);
    await analyse(deps);
    server.advance(1000);
    const { findings } = (await ask({ from: at(runs[3] as number), environments: north })).body.data;
    assert.deepEqual(
      findings.new.items.map((item: Record<string, unknown>) => [item.source_id, item.source_name]),
      [['STRANGER-1000', 'STRANGER-1000']],
    );
  });
});
