import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertRun } from './index.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe('GET /api/v2/posture-history/:data_type, ranges', () => {
  let server: TestServer;
  let reader: MadeUser;

  /** A run that counted `findings` in environment A, or did not see it at all. */
  const record = (finishedAt: string | number, findings: number | undefined) => {
    const at = typeof finishedAt === 'string' ? Date.parse(finishedAt) : finishedAt;
    const counted = { dataType: 'findings', tagId: 1, environmentId: 'A', denominator: 0 } as const;
    return server.deps.graph.transaction((graph) =>
      insertRun(
        graph,
        { startedAt: at - 1000, finishedAt: at },
        findings === undefined ? [] : [{ ...counted, numerator: findings }],
      ),
    );
  };
  const get = (range: { start?: string; end?: string }, token = reader.token) => {
    const query = new URLSearchParams({ environments: 'A', ...range });
    return server.call('GET', `/api/v2/posture-history/findings?${query}`, { token });
  };
  const pointsIn = async (start: string, end: string): Promise<[string, number][]> => {
    const { status, body } = await get({ start, end });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.map(({ date, value }: { date: string; value: number }) => [date, value]);
  };

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
  });

  after(() => server.stop());

  it('answers 200 with the last run of each UTC day, ascending, and nothing for days without one', async () => {
    await record('2020-01-03T23:59:59.999Z', 5);
    await record('2020-01-01T00:00:00Z', 1);
    await record('2020-01-03T00:00:00Z', 4);
    await record('2020-01-01T09:00:00Z', 3);
    await record('2020-01-01T08:00:00Z', 2);
    assert.deepEqual(await pointsIn('2020-01-01T00:00:00Z', '2020-02-01T00:00:00Z'), [
      ['2020-01-01T09:00:00Z', 3],
      ['2020-01-03T23:59:59.999Z', 5],
    ]);
  });

  it("answers 200 with the last run inside the range, whatever that day's later runs say", async () => {
    await record('2020-03-01T08:00:00Z', 1);
    await record('2020-03-01T12:00:00Z', 2);
    await record('2020-03-01T16:00:00Z', 3);
    const points = (start: string, end: string) => pointsIn(`2020-03-01T${start}Z`, `2020-03-01T${end}Z`);
    assert.deepEqual(await points('00:00:00', '13:00:00'), [['2020-03-01T12:00:00Z', 2]]);
    assert.deepEqual(await points('00:00:00', '09:00:00'), [['2020-03-01T08:00:00Z', 1]]);
    assert.deepEqual(await points('13:00:00', '20:00:00'), [['2020-03-01T16:00:00Z', 3]]);
    assert.deepEqual(await points('17:00:00', '20:00:00'), []);
  });

  it('answers 200 with a range that includes its start and excludes its end', async () => {
    await record('2020-04-01T12:00:00Z', 1);
    const noon = '2020-04-01T12:00:00Z';
    assert.deepEqual(await pointsIn(noon, '2020-04-01T12:00:00.001Z'), [[noon, 1]]);
    assert.deepEqual(await pointsIn('2020-04-01T12:00:00.001Z', '2020-04-02T00:00:00Z'), []);
    assert.deepEqual(await pointsIn('2020-04-01T00:00:00Z', noon), []);
    assert.deepEqual(await pointsIn('2020-04-01T11:59:59.999Z', '2020-04-01T12:00:01Z'), [[noon, 1]]);
  });

  it('answers 200 and counts fractions of a millisecond exactly', async () => {
    await record('2020-05-01T12:00:00.500Z', 1);
    const at = '2020-05-01T12:00:00.5Z';
    const justAfter = '2020-05-01T12:00:00.500000001Z';
    const justBefore = '2020-05-01T12:00:00.499999999Z';
    const [begin, end] = ['2020-05-01T00:00:00Z', '2020-05-02T00:00:00Z'];
    assert.equal((await pointsIn(justAfter, end)).length, 0);
    assert.equal((await pointsIn(justBefore, end)).length, 1);
    assert.equal((await pointsIn(at, end)).length, 1);
    assert.equal((await pointsIn(begin, justAfter)).length, 1);
    assert.equal((await pointsIn(begin, justBefore)).length, 0);
    assert.equal((await pointsIn(begin, at)).length, 0);
  });

  it('answers 200 and tells the range back in UTC, whatever the offset it was given with', async () => {
    await record('2020-06-01T22:30:00Z', 1);
    const { body } = await get({
      start: '2020-06-02T00:30:00+02:00',
      end: '2020-06-01t20:00:00.250-05:30',
    });
    assert.equal(body.start, '2020-06-01T22:30:00Z');
    assert.equal(body.end, '2020-06-02T01:30:00.250Z');
    assert.deepEqual(body.data, [{ date: '2020-06-01T22:30:00Z', value: 1 }]);
  });

  it('answers 200 with the last 30 days up to now by default', async () => {
    const now = server.now();
    await record(now - 31 * day, 31);
    await record(now - 29 * day, 29);
    await record(now + 2 * hour, 2);
    const { status, body } = await get({});
    assert.equal(status, 200);
    const [start, end] = [Date.parse(body.start), Date.parse(body.end)];
    assert.ok(end >= now && end <= server.now(), body.end);
    assert.equal(end - start, 30 * day);
    assert.deepEqual(
      body.data.map(({ value }: { value: number }) => value),
      [29],
    );
    server.advance(3 * hour);
    const later = (await get({})).body.data.map(({ value }: { value: number }) => value);
    assert.deepEqual(later, [29, 2]);
  });

  it('answers 200 with each default on its own', async () => {
    const before = server.now();
    const sinceStart = (await get({ start: '2020-01-01T00:00:00Z' })).body;
    assert.equal(sinceStart.start, '2020-01-01T00:00:00Z');
    assert.ok(Date.parse(sinceStart.end) >= before, sinceStart.end);
    assert.ok(Date.parse(sinceStart.end) <= server.now(), sinceStart.end);
    const untilEnd = (await get({ end: '2999-01-01T00:00:00Z' })).body;
    assert.equal(untilEnd.end, '2999-01-01T00:00:00Z');
    assert.ok(Date.parse(untilEnd.start) >= before - 30 * day, untilEnd.start);
    assert.ok(Date.parse(untilEnd.start) <= server.now() - 30 * day, untilEnd.start);
  });

  it('answers 400 when start is not before end, given or by default', async () => {
    const instant = '2020-01-01T00:00:00Z';
    const ranges = [
      { start: instant, end: instant },
      { start: instant, end: '2020-01-01T01:00:00+01:00' },
      { start: '2020-01-01T00:00:00.001Z', end: instant },
      { start: '2999-01-01T00:00:00Z' },
      { end: instant },
    ];
    for (const range of ranges) {
      const { status, body } = await get(range);
      assert.equal(status, 400, JSON.stringify(range));
      assert.deepEqual(body.errors, [{ context: 'start', message: 'start must be before end' }]);
    }
  });

  it('answers 400 to what is not an RFC 3339 date-time', async () => {
    const wrong = [
      '',
      'now',
      '2020-01-01',
      '2020-01-01T00:00:00',
      '2020-01-01 00:00:00Z',
      '2020-01-01T00:00Z',
      '2020-02-30T00:00:00Z',
      '2020-01-01T24:00:00Z',
      '2020-01-01T00:00:00+0100',
      '2020-01-01T00:00:00.Z',
      '1577836800000',
      '0000-12-31T00:00:00Z',
    ];
    for (const text of wrong) {
      for (const name of ['start', 'end']) {
        const { status, body } = await get({ [name]: text });
        assert.equal(status, 400, `${name}=${text}`);
        assert.equal(body.errors.length, 1);
        assert.equal(body.errors[0].context, name);
        assert.match(body.errors[0].message, /must be an RFC 3339 date-time such as /);
      }
    }
    const contexts = async (range: { start: string; end: string }) =>
      (await get(range)).body.errors.map(({ context }: { context: string }) => context);
    assert.deepEqual(await contexts({ start: 'x', end: 'y' }), ['start', 'end']);
    // The default of the bound that can't be read is not held against the other one.
    assert.deepEqual(await contexts({ start: 'x', end: '2020-01-01T00:00:00Z' }), ['start']);
    assert.deepEqual(await contexts({ start: '2999-01-01T00:00:00Z', end: 'y' }), ['end']);
  });

  it('answers 200 with what counting by hand gives, for any runs and any range', async () => {
    // Every try has twelve days of its own: six for the runs, and room around them.
    let origin = Date.UTC(2000, 0, 1);
    const nearMidnight = fc
      .tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(-1, 0, 1, 12 * hour))
      .map(([days, ms]) => Math.max(0, days * day + ms));
    const moment = fc.oneof(nearMidnight, fc.nat({ max: 6 * day }));
    const runs = fc.uniqueArray(
      fc.record({ at: moment, findings: fc.option(fc.nat({ max: 99 }), { nil: undefined }) }),
      { selector: ({ at }) => at, maxLength: 12 },
    );
    const bound = fc.record({
      ms: moment,
      nanoseconds: fc.constantFrom(0, 0, 1, 500_000, 999_999),
      offset: fc.constantFrom(0, 60, -330, 840),
    });
    await fc.assert(
      fc.asyncProperty(runs, bound, bound, async (made, one, two) => {
        const [first, last] = [one, two].sort((a, b) => nanosecondsOf(a) - nanosecondsOf(b));
        fc.pre(first !== undefined && last !== undefined && Math.ceil(msOf(first)) < Math.ceil(msOf(last)));
        origin += 12 * day;
        for (const { at, findings } of made) await record(origin + at, findings);
        const points = await pointsIn(written(origin, first), written(origin, last));
        assert.deepEqual(points, expectedPoints(origin, made, nanosecondsOf(first), nanosecondsOf(last)));
      }),
      { numRuns: 60 },
    );
  });
});

interface Bound {
  readonly ms: number;
  readonly nanoseconds: number;
  /** Minutes east of Greenwich. */
  readonly offset: number;
}

const nanosecondsOf = ({ ms, nanoseconds }: Bound) => ms * 1_000_000 + nanoseconds;
const msOf = ({ ms, nanoseconds }: Bound) => ms + nanoseconds / 1_000_000;

function written(origin: number, { ms, nanoseconds, offset }: Bound): string {
  const local = new Date(origin + ms + offset * 60_000).toISOString().slice(0, -1);
  const pad = (value: number, length: number) => String(value).padStart(length, '0');
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${local}${pad(nanoseconds, 6)}${offset < 0 ? '-' : '+'}${pad(hours, 2)}:${pad(minutes, 2)}`;
}

/** Day by day: the last run inside the range, and its point if it saw the environment. */
function expectedPoints(
  origin: number,
  runs: readonly { at: number; findings: number | undefined }[],
  start: number,
  end: number,
): [string, number][] {
  const lastOfDay = new Map<string, { date: string; findings: number | undefined }>();
  for (const { at, findings } of [...runs].sort((a, b) => a.at - b.at)) {
    if (at * 1_000_000 < start || at * 1_000_000 >= end) continue;
    const date = new Date(origin + at).toISOString();
    lastOfDay.set(date.slice(0, 10), { date, findings });
  }
  return [...lastOfDay.values()].flatMap(({ date, findings }): [string, number][] =>
    findings === undefined ? [] : [[date.replace('.000Z', 'Z'), findings]],
  );
}
