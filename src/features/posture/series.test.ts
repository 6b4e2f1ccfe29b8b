import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { type DataType, dataTypes, insertRun, type NewPosturePoint } from './index.ts';

interface Series {
  readonly type: DataType;
  readonly environments: string[];
  readonly tag?: number | undefined;
  /** The month of 2026 that the test has to itself. */
  readonly month: string;
}

function point(
  dataType: DataType,
  tagId: number,
  environmentId: string,
  numerator: number,
  denominator = 0,
): NewPosturePoint {
  return { dataType, tagId, environmentId, numerator, denominator };
}

describe('GET /api/v2/posture-history/:data_type, values', () => {
  let server: TestServer;
  let reader: MadeUser;

  const record = (finishedAt: string, points: NewPosturePoint[]) => {
    const at = Date.parse(finishedAt);
    return server.deps.graph.transaction((graph) =>
      insertRun(graph, { startedAt: at - 1000, finishedAt: at }, points),
    );
  };
  const pointsOf = async ({ type, environments, tag, month }: Series) => {
    const query = new URLSearchParams(environments.map((id): [string, string] => ['environments', id]));
    query.set('start', `2026-${month}-01T00:00:00Z`);
    query.set('end', `2026-${month}-28T00:00:00Z`);
    if (tag !== undefined) query.set('asset_group_tag_id', String(tag));
    const path = `/api/v2/posture-history/${type}?${query}`;
    const { status, body } = await server.call('GET', path, { token: reader.token });
    assert.equal(status, 200, path);
    return body.data as { date: string; value: number }[];
  };
  const valuesOf = async (series: Series) => (await pointsOf(series)).map(({ value }) => value);

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
    await server.deps.graph.transaction((graph) =>
      graph.execute('insert into asset_group_tags (id, name, position, created_at) values (2, $1, 2, 0)', [
        'Zone Two',
      ]),
    );
    await record('2026-01-05T02:10:00Z', [
      point('findings', 0, 'A', 3),
      point('findings', 1, 'A', 5),
      point('findings', 2, 'A', 1000),
      point('findings', 0, 'B', 20),
      point('findings', 1, 'B', 40),
      point('attack-paths', 0, 'A', 7),
      point('attack-paths', 1, 'A', 11),
      point('attack-paths', 2, 'A', 1000),
      point('attack-paths', 1, 'B', 100),
      point('exposure', 1, 'A', 1, 2),
      point('exposure', 1, 'B', 0, 98),
      point('exposure', 2, 'A', 1, 4),
      point('assets', 1, 'A', 13),
      point('assets', 1, 'B', 200),
      point('assets', 2, 'A', 1000),
      // Hygiene has neither: nothing records these, and nothing may show them.
      point('exposure', 0, 'A', 1, 1),
      point('assets', 0, 'A', 9),
      point('session-completeness', 0, 'A', 1, 3),
      point('session-completeness', 0, 'B', 1, 1),
      point('group-completeness', 0, 'A', 2, 3),
      point('group-completeness', 0, 'B', 0, 7),
    ]);
  });

  after(() => server.stop());

  const both = undefined;
  const expectations: [DataType, tag: number | undefined, a: number[], aAndB: number[]][] = [
    ['findings', both, [8], [68]],
    ['findings', 0, [3], [23]],
    ['findings', 1, [5], [45]],
    ['findings', 2, [1000], [1000]],
    ['attack-paths', both, [18], [118]],
    ['attack-paths', 0, [7], [7]],
    ['attack-paths', 1, [11], [111]],
    ['attack-paths', 2, [1000], [1000]],
    // A ratio of sums: 1 of 100, not the mean of 50 % and 0 %.
    ['exposure', both, [50], [1]],
    ['exposure', 0, [], []],
    ['exposure', 1, [50], [1]],
    ['exposure', 2, [25], [25]],
    ['assets', both, [13], [213]],
    ['assets', 0, [], []],
    ['assets', 1, [13], [213]],
    ['assets', 2, [1000], [1000]],
    ...([both, 0, 1, 2].flatMap((tag) => [
      ['session-completeness', tag, [33], [50]],
      ['group-completeness', tag, [67], [20]],
    ]) as [DataType, number | undefined, number[], number[]][]),
  ];

  for (const [type, tag, ofA, ofBoth] of expectations) {
    it(`answers 200 with ${type} of ${tag === both ? 'both zones' : `tag ${tag}`}`, async () => {
      assert.deepEqual(await valuesOf({ type, tag, environments: ['A'], month: '01' }), ofA);
      assert.deepEqual(await valuesOf({ type, tag, environments: ['B', 'A'], month: '01' }), ofBoth);
    });
  }

  it('answers 200 with the point at the time of its run', async () => {
    assert.deepEqual(await pointsOf({ type: 'findings', environments: ['A'], month: '01' }), [
      { date: '2026-01-05T02:10:00Z', value: 8 },
    ]);
  });

  it('answers 200 with percents rounded half up, from exact sums', async () => {
    const ratios: [numerator: number, denominator: number, percent: number][] = [
      [0, 5, 0],
      [1, 201, 0],
      [1, 200, 1],
      [29, 200, 15],
      [1, 3, 33],
      [2, 3, 67],
      [199, 200, 100],
      [5, 5, 100],
    ];
    for (const [index, [numerator, denominator]] of ratios.entries()) {
      await record(`2026-02-${String(index + 1).padStart(2, '0')}T12:00:00Z`, [
        point('exposure', 1, 'A', numerator, denominator),
        point('session-completeness', 0, 'A', numerator, denominator),
        point('group-completeness', 0, 'A', numerator, denominator),
        // Together 1 of 225, less than half a percent. Rounded one by one they would make 1.
        point('exposure', 1, 'X', 1, 150),
        point('exposure', 1, 'Y', 0, 75),
      ]);
    }
    const percents = ratios.map(([, , percent]) => percent);
    for (const type of ['exposure', 'session-completeness', 'group-completeness'] as const) {
      assert.deepEqual(await valuesOf({ type, environments: ['A'], month: '02' }), percents, type);
    }
    const summed = await valuesOf({ type: 'exposure', environments: ['X', 'Y'], month: '02' });
    assert.deepEqual(summed, Array(ratios.length).fill(0));
  });

  it('answers 200 without a point where the summed denominator is 0', async () => {
    await record('2026-03-01T12:00:00Z', [
      point('exposure', 1, 'A', 0, 0),
      point('exposure', 1, 'B', 0, 0),
      point('findings', 1, 'A', 0),
    ]);
    await record('2026-03-02T12:00:00Z', [point('exposure', 1, 'A', 0, 0), point('exposure', 1, 'B', 1, 4)]);
    const exposure = (...environments: string[]) => valuesOf({ type: 'exposure', environments, month: '03' });
    assert.deepEqual(await exposure('A'), []);
    assert.deepEqual(await exposure('A', 'B'), [25]);
    // A count of 0 is a point like any other.
    assert.deepEqual(await valuesOf({ type: 'findings', environments: ['A'], month: '03' }), [0]);
  });

  it('answers 200 and counts an environment that is absent from a run with nothing', async () => {
    await record('2026-04-01T06:00:00Z', [point('findings', 1, 'A', 1), point('findings', 1, 'B', 10)]);
    await record('2026-04-01T18:00:00Z', [point('findings', 1, 'A', 2)]);
    await record('2026-04-02T06:00:00Z', [point('findings', 1, 'A', 4), point('findings', 1, 'B', 40)]);
    const findings = (...environments: string[]) => valuesOf({ type: 'findings', environments, month: '04' });
    assert.deepEqual(await findings('A', 'B'), [2, 44]);
    assert.deepEqual(await findings('A'), [2, 4]);
  });

  it('answers 200 and keeps the six types apart', async () => {
    const points = dataTypes.map((type, index) =>
      point(type, type.endsWith('completeness') ? 0 : 1, 'A', index + 1, 100),
    );
    await record('2026-05-01T12:00:00Z', points);
    for (const [index, type] of dataTypes.entries()) {
      assert.deepEqual(await valuesOf({ type, environments: ['A'], month: '05' }), [index + 1], type);
    }
  });

  it('answers 200 with sums beyond 32 bits', async () => {
    await record(
      '2026-06-01T12:00:00Z',
      ['A', 'B'].map((id) => point('attack-paths', 1, id, 3_000_000_000_000)),
    );
    const series: Series = { type: 'attack-paths', environments: ['A', 'B'], month: '06' };
    assert.deepEqual(await valuesOf(series), [6_000_000_000_000]);
  });
});
