import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { parameters } from './parameters.ts';

interface Cases {
  readonly initial: object;
  readonly valid: readonly object[];
  /** A bad value and every problem with it. */
  readonly invalid: readonly (readonly [value: unknown, ...problems: RegExp[]])[];
}

const notAnObject: Cases['invalid'] = [null, [], 'text', 1, true].map((value) => [
  value,
  /^value must be an object$/,
]);

/** What every key with the one member `enabled` takes. */
const switches = (initial: boolean): Cases => ({
  initial: { enabled: initial },
  valid: [{ enabled: !initial }, { enabled: initial }],
  invalid: [
    [{}, /^value\.enabled is required$/],
    [{ enabled: 'true' }, /^value\.enabled must be a boolean$/],
    [{ enabled: 1 }, /^value\.enabled must be a boolean$/],
    [{ enabled: null }, /^value\.enabled must be a boolean$/],
    [{ enabled: true, other: 1 }, /^value\.other is not a known member$/],
    [{ Enabled: true }, /^value\.enabled is required$/, /^value\.Enabled is not a known member$/],
    [{ enabled: [], a: 1, b: 2 }, /^value\.enabled /, /^value\.a is not/, /^value\.b is not/],
  ],
});

/** What every key with one whole number takes. */
const numbers = (member: string, initial: number, least: number, most: number): Cases => ({
  initial: { [member]: initial },
  valid: [least, most, initial].map((value) => ({ [member]: value })),
  invalid: [
    [{ [member]: least - 1 }, new RegExp(`^value\\.${member} must be >= ${least}$`)],
    [{ [member]: most + 1 }, new RegExp(`^value\\.${member} must be <= ${most}$`)],
    [{ [member]: least + 0.5 }, new RegExp(`^value\\.${member} must be a whole number$`)],
    [{ [member]: String(least) }, new RegExp(`^value\\.${member} must be a whole number$`)],
    [{ [member]: null }, new RegExp(`^value\\.${member} must be a whole number$`)],
    [{}, new RegExp(`^value\\.${member} is required$`)],
    [{ [member]: least, unit: 'h' }, /^value\.unit is not a known member$/],
  ],
});

const badDurations = [
  '',
  'P',
  'PT',
  '7D',
  'P7',
  'P1M',
  'p7d',
  ' P7D',
  'P7D ',
  '-P7D',
  'P1.5D',
  'P7DT',
  'P1W2D',
];
const daily = 'DTSTART:20240101T000000Z\nRRULE:FREQ=DAILY;INTERVAL=1';

const cases: Record<string, Cases> = {
  'analysis.citrix_rdp_support': switches(true),
  'analysis.reconciliation': switches(true),
  'analysis.retain_ingest_files': switches(false),
  'api.timeout_limit': switches(true),
  'auth.session_ttl_hours': numbers('hours', 8, 1, 720),
  'auth.api_token_expiration': {
    initial: { enabled: false, expiration_period: 90 },
    valid: [
      { enabled: true, expiration_period: 1 },
      { expiration_period: 365, enabled: false },
    ],
    invalid: [
      [{ enabled: true, expiration_period: 0 }, /^value\.expiration_period must be >= 1$/],
      [{ enabled: false, expiration_period: 366 }, /^value\.expiration_period must be <= 365$/],
      [{ enabled: true, expiration_period: 1.5 }, /^value\.expiration_period must be a whole number$/],
      [{ enabled: true }, /^value\.expiration_period is required$/],
      [{}, /^value\.enabled is required$/, /^value\.expiration_period is required$/],
      [
        { enabled: 'yes', expiration_period: '90', x: 0 },
        /^value\.enabled must be/,
        /^value\.expiration_period must be/,
        /^value\.x is not/,
      ],
    ],
  },
  'auth.password_expiration_window': {
    initial: { duration: 'P90D' },
    valid: ['P1D', 'P1W', 'PT1S', 'P1Y2DT3H4M5S', 'P365000D'].map((duration) => ({ duration })),
    invalid: [
      ...badDurations.map(
        (duration) => [{ duration }, /^value\.duration must be an ISO 8601 duration/] as const,
      ),
      [{ duration: 'P365001D' }, /^value\.duration must be between P0D and P365000D$/],
      [{ duration: 'P0D' }, /^value\.duration must be longer than zero$/],
      [{ duration: `P${'9'.repeat(30)}D` }, /^value\.duration must be an ISO 8601 duration/],
      [{ duration: `P${'0'.repeat(100)}1D` }, /^value\.duration .*100/],
      [{ duration: 90 }, /^value\.duration must be a string$/],
      [{}, /^value\.duration is required$/],
      [{ duration: 'P1D', unit: 'd' }, /^value\.unit is not a known member$/],
    ],
  },
  'prune.ttl': {
    initial: { base_ttl: 'P7D', has_session_edge_ttl: 'P3D' },
    valid: [
      { base_ttl: 'P4D', has_session_edge_ttl: 'P2D' },
      { base_ttl: 'P30D', has_session_edge_ttl: 'P1W' },
      { base_ttl: 'PT96H', has_session_edge_ttl: 'P2DT1S' },
    ],
    invalid: [
      [
        { base_ttl: 'P3DT23H59M59S', has_session_edge_ttl: 'P3D' },
        /^value\.base_ttl must be between P4D and P30D$/,
      ],
      [
        { base_ttl: 'P30DT1S', has_session_edge_ttl: 'P3D' },
        /^value\.base_ttl must be between P4D and P30D$/,
      ],
      [
        { base_ttl: 'P7D', has_session_edge_ttl: 'P1DT23H59M59S' },
        /^value\.has_session_edge_ttl must be between P2D and P7D$/,
      ],
      [{ base_ttl: 'P7D', has_session_edge_ttl: 'P7DT1S' }, /^value\.has_session_edge_ttl must be between/],
      [
        { base_ttl: 'P1M', has_session_edge_ttl: 'soon' },
        /^value\.base_ttl must be an/,
        /^value\.has_session_edge_ttl must be an/,
      ],
      [
        { base_ttl: 'P1D', has_session_edge_ttl: 'P1D' },
        /^value\.base_ttl /,
        /^value\.has_session_edge_ttl /,
      ],
      [{ base_ttl: 7, has_session_edge_ttl: 'P3D' }, /^value\.base_ttl must be a string$/],
      [{}, /^value\.base_ttl is required$/, /^value\.has_session_edge_ttl is required$/],
      [{ base_ttl: 'P7D', has_session_edge_ttl: 'P3D', ttl: 'P1D' }, /^value\.ttl is not a known member$/],
    ],
  },
  'analysis.scheduled': {
    initial: { enabled: false, rrule: '' },
    valid: [
      { enabled: true, rrule: daily },
      { enabled: true, rrule: 'FREQ=DAILY;INTERVAL=1;DTSTART=20240101T000000Z' },
      { enabled: false, rrule: daily },
      { enabled: false, rrule: '' },
    ],
    invalid: [
      [{ enabled: true, rrule: '' }, /^value\.rrule is required while value\.enabled is true$/],
      [{ enabled: true, rrule: ' ' }, /^value\.rrule is not a usable recurrence rule: /],
      [{ enabled: true, rrule: 'every day' }, /^value\.rrule is not a usable recurrence rule: /],
      [{ enabled: false, rrule: 'every day' }, /^value\.rrule is not a usable recurrence rule: /],
      [{ enabled: true, rrule: 'FREQ=DAILY' }, /^value\.rrule .*: DTSTART is required$/],
      [{ enabled: true, rrule: `${daily};COUNT=3` }, /^value\.rrule .*: COUNT is not supported/],
      [
        { enabled: true, rrule: `${daily};UNTIL=20250101T000000Z` },
        /^value\.rrule .*: UNTIL is not supported/,
      ],
      [{ enabled: true, rrule: 'x'.repeat(1001) }, /^value\.rrule .*1000/],
      [{ enabled: true }, /^value\.rrule is required$/],
      [{ rrule: daily }, /^value\.enabled is required$/],
      [{ enabled: 1, rrule: null }, /^value\.enabled must be/, /^value\.rrule must be a string$/],
      [{ enabled: false, rrule: '', next: 1 }, /^value\.next is not a known member$/],
    ],
  },
};

describe('PUT /api/v2/config, values', () => {
  let server: TestServer;
  let admin: MadeUser;
  const put = (key: string, value: unknown) =>
    server.call('PUT', '/api/v2/config', { token: admin.token, body: { key, value } });

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
  });

  after(() => server.stop());

  async function stored(key: string): Promise<unknown> {
    const row = await server.deps.db.one<{ value: string }>('select value from parameters where key = $1', [
      key,
    ]);
    return JSON.parse(row?.value ?? 'null');
  }

  it('are tried for every parameter that can be written', () => {
    const writable = Object.entries(parameters).filter(([, { isProtected }]) => !isProtected);
    assert.deepEqual(Object.keys(cases).sort(), writable.map(([key]) => key).sort());
  });

  for (const [key, { initial, valid, invalid }] of Object.entries(cases)) {
    it(`answers 200 for good values of ${key}, and stores each with its record`, async () => {
      let before = await stored(key);
      assert.deepEqual(before, initial);
      for (const value of valid) {
        const { status, body, headers } = await put(key, value);
        assert.equal(status, 200, JSON.stringify(value));
        assert.deepEqual(body, { data: { key, value } });
        assert.deepEqual(await stored(key), value);
        const [row] = await auditRows(server.deps);
        assert.deepEqual(row, {
          action: 'UpdateParameter',
          outcome: 'success',
          actor_name: admin.name,
          request_id: headers.get('x-request-id'),
          fields: {
            key,
            before,
            after: value,
            // There are none that the rule could have touched.
            ...(key === 'auth.api_token_expiration' ? { tokens_changed: 0 } : {}),
          },
        });
        before = value;
      }
    });

    it(`answers 400 for bad values of ${key}, naming every problem, and stores nothing`, async () => {
      const before = await stored(key);
      const records = (await auditRows(server.deps)).length;
      for (const [value, ...problems] of [...notAnObject, ...invalid]) {
        const { status, body } = await put(key, value);
        const sent = JSON.stringify(value).slice(0, 100);
        assert.equal(status, 400, sent);
        const errors: { context: string; message: string }[] = body.errors;
        assert.equal(errors.length, problems.length, `${sent}: ${JSON.stringify(errors)}`);
        for (const problem of problems) {
          const error = errors.find(({ message }) => problem.test(message));
          assert.ok(error !== undefined, `${sent}: no ${problem} in ${JSON.stringify(errors)}`);
          assert.equal(error.context, error.message.split(' ', 1)[0], 'the context is the path');
        }
      }
      assert.deepEqual(await stored(key), before);
      assert.equal((await auditRows(server.deps)).length, records);
    });
  }
});
