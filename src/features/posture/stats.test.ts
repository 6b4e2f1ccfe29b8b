import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { add, analyse, fourRuns, north, south, takesOver, user } from '../../../test/graph/posture-estate.ts';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { formatRfc3339 } from '../../values/time.ts';

const hour = 3_600_000;
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

describe('GET /api/v2/posture-history/:data_type of computed runs', () => {
  const history = (type: string, headers: Record<string, string> = {}) =>
    server.call('GET', `/api/v2/posture-history/${type}?environments=${north}&environments=${south}`, {
      token,
      headers,
    });

  it('answers 200 with the last run of the day, as JSON and as CSV', async () => {
    // The runs are an hour apart and may lie on two days.
    const { data } = (await history('findings')).body;
    assert.deepEqual(data.at(-1), { date: at(runs[3] as number), value: 4 });
    const answer = await history('findings', { accept: 'text/csv' });
    assert.match(answer.headers.get('content-disposition') ?? '', /posture-findings\.csv/);
    const lines = data.map(({ date, value }: { date: string; value: number }) => `${date},${value}\r\n`);
    assert.equal(answer.text, `date,value\r\n${lines.join('')}`);
    const preferred = await history('findings', { accept: 'application/json, text/csv;q=0.5' });
    assert.match(preferred.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal((await history('session-completeness', { accept: 'text/csv' })).text, 'date,value\r\n');
  });
});

describe('GET /api/v2/posture-stats', () => {
  const stats = (query = '') => server.call('GET', `/api/v2/posture-stats?${query}`, { token });
  const rowsOf = async (query: string) => (await stats(query)).body.data;

  it('answers 200 with a row for each run and environment, and for each tag where tags are asked for, newest first', async () => {
    assert.equal((await stats('asset_group_tag_id=gte:0')).body.count, 16);
    const { status, body } = await stats();
    assert.equal(status, 200);
    assert.deepEqual([body.count, body.limit, body.skip], [8, 1000, 0]);
    assert.equal(Date.parse(body.end) - Date.parse(body.start), 30 * 24 * hour);
    const times = body.data.map(({ ts }: { ts: string }) => ts);
    assert.deepEqual(times, [...times].sort().reverse());
    const [row] = await rowsOf(`domain_sid=${north}&asset_group_tag_id=1&sort_by=ts`);
    assert.deepEqual(row, {
      id: row.id,
      ts: at(runs[0] as number),
      created_at: row.ts,
      updated_at: row.ts,
      deleted_at: { Time: '0001-01-01T00:00:00Z', Valid: false },
      domain_sid: north,
      asset_group_tag_id: 1,
      exposure_index: 0.25,
      tier_zero_count: 2,
      critical_risk_count: 0,
      archived_findings_count: 0,
    });
    const hygiene = await rowsOf(`domain_sid=${north}&asset_group_tag_id=0&limit=1`);
    assert.deepEqual([hygiene[0].exposure_index, hygiene[0].tier_zero_count], [0, 0]);
  });

  it('answers 200 with the rows of a range, filtered and sorted', async () => {
    const second = `from=${at(runs[1] as number)}&to=${at(runs[2] as number)}`;
    assert.deepEqual(
      (await rowsOf(`${second}&asset_group_tag_id=gte:0&sort_by=-exposure_index`)).map(
        ({ domain_sid, exposure_index }: Record<string, unknown>) => [domain_sid, exposure_index],
      ),
      [
        [north, 0.75],
        [south, 0.25],
        [north, 0],
        [south, 0],
      ],
    );
    assert.equal((await rowsOf(`${second}&exposure_index=gt:0.25`)).length, 1);
    assert.equal((await rowsOf(`${second}&exposure_index=gte:0.25`)).length, 2);
    assert.equal((await rowsOf('tier_zero_count=eq:3')).length, 2);
    assert.equal((await rowsOf('from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')).length, 0);
  });

  it('answers 200 with every row that matches in CSV, or with the page that is asked for', async () => {
    const lines = async (query: string) => {
      const answer = await server.call('GET', `/api/v2/posture-stats?${query}`, {
        token,
        headers: { accept: 'text/csv' },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.headers.get('content-disposition') ?? '', /posture-stats\.csv/);
      return answer.text.split('\r\n').slice(0, -1);
    };
    const names =
      'id,ts,created_at,updated_at,domain_sid,asset_group_tag_id,exposure_index,tier_zero_count,critical_risk_count,archived_findings_count';
    const query = `domain_sid=${north}&asset_group_tag_id=gte:0&sort_by=-exposure_index`;
    const expected = (await rowsOf(query)).map((row: Record<string, unknown>) =>
      names
        .split(',')
        .map((name) => row[name])
        .join(','),
    );
    assert.equal(expected.length, 8);
    assert.deepEqual(await lines(query), [names, ...expected]);
    assert.deepEqual(await lines(`${query}&skip=2&limit=3`), [names, ...expected.slice(2, 5)]);
    assert.deepEqual(await lines('domain_sid=NOBODY'), [names]);
  });

  it('answers 200 with how many findings are gone by then', async () => {
    const counts = async (query: string) =>
      (await rowsOf(`${query}&sort_by=ts`)).map(
        ({ archived_findings_count: count }: Record<string, unknown>) => count,
      );
    assert.deepEqual(await counts(`domain_sid=${north}&asset_group_tag_id=1`), [0, 0, 2, 2]);
    assert.deepEqual(await counts(`domain_sid=${south}&asset_group_tag_id=1`), [0, 0, 0, 0]);
    assert.equal((await rowsOf('archived_findings_count=gt:1')).length, 2);
    // What an older version wrote does not say.
    await server.deps.graph.transaction((graph) =>
      graph.execute('update posture_stats set archived_findings = null where finished_at = $1', [
        runs[0] as number,
      ]),
    );
    assert.deepEqual(await counts(`domain_sid=${north}&asset_group_tag_id=1`), [null, 0, 2, 2]);
  });

  it('answers 200 with how many findings are critical', async () => {
    const everyone = [1101, 1102, 1103, 1104, 1204].map((rid) => ({
      start: `${north}-${rid}`,
      kind: 'MemberOf',
      end: `${north}-3000`,
    }));
    const staff = { ...user(north, 3000), kinds: ['Group', 'Base'] };
    await add(server.deps, [staff], [...everyone, takesOver(north, 3000)]);
    const last = await analyse(server.deps);
    server.advance(hour);
    const rows = await rowsOf(
      `from=${at(last)}&domain_sid=${north}&asset_group_tag_id=gte:0&sort_by=asset_group_tag_id`,
    );
    assert.deepEqual(
      rows.map((row: Record<string, unknown>) => [row.critical_risk_count, row.exposure_index]),
      [
        [0, 0],
        [1, 1],
      ],
    );
    const { by_type } = (
      await server.call('GET', `/api/v2/posture-diff?from=${at(runs[3] as number)}&environments=${north}`, {
        token,
      })
    ).body.data.findings;
    assert.deepEqual(
      by_type.filter(({ severity }: { severity: string }) => severity === 'critical'),
      [{ type: 'T0GenericAll', severity: 'critical', new: 1, gone: 0, unchanged: 0, came_and_went: 0 }],
    );
  });

  it('answers 400 when from is not before to', async () => {
    const [problem] = assertEnvelope(await stats('from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'), 400);
    assert.deepEqual(problem, { context: 'from', message: 'from must be before to' });
  });
});
