import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type MadeUser, makeUser } from '../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import { assertEnvelope, serveVariant } from '../../test/server/pipeline.ts';
import { RawConnection, rawCall, requestText } from '../../test/server/raw-http.ts';
import { Deadline } from '../deadline.ts';
import { readPrefer } from './prefer.ts';

const url = '/api/v2/custom-nodes/User';

describe('Prefer (gap 1.5)', () => {
  let server: TestServer;
  let admin: MadeUser;
  const ask = (...values: string[]) =>
    rawCall(server, 'GET', url, [
      ['Authorization', `Bearer ${admin.token}`],
      ...values.map((value) => ['Prefer', value] as const),
    ]);
  const setTimeoutLimit = async (enabled: boolean) => {
    const body = { key: 'api.timeout_limit', value: { enabled } };
    const { status } = await server.call('PUT', '/api/v2/config', { token: admin.token, body });
    assert.equal(status, 200);
  };

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
  });

  after(() => server.stop());

  it('tells the wait back, and that the answer depends on the header', async () => {
    const { status, headers } = await ask('wait=7');
    assert.equal(status, 200);
    assert.equal(headers['preference-applied'], 'wait=7');
    assert.equal(headers.vary, 'prefer');
  });

  it('says nothing about it to a caller that did not send it', async () => {
    const { status, headers } = await ask();
    assert.equal(status, 200);
    assert.equal(headers['preference-applied'], undefined);
    assert.equal(headers.vary, undefined);
  });

  it('tells it back with an error, too', async () => {
    const { status, headers } = await server.call('GET', '/api/v2/custom-nodes/Nothing', {
      token: admin.token,
      headers: { prefer: 'wait=7' },
    });
    assert.equal(status, 404);
    assert.equal(headers.get('preference-applied'), 'wait=7');
  });

  it('takes wait=0 as no wish: the default applies', async () => {
    for (const zero of ['wait=0', 'wait=000'])
      assert.equal((await ask(zero)).headers['preference-applied'], 'wait=30');
  });

  it('takes any number of digits, up to the maximum', async () => {
    assert.equal((await ask('wait=600')).headers['preference-applied'], 'wait=600');
    assert.equal((await ask('wait=0601')).headers['preference-applied'], 'wait=600');
    assert.equal((await ask(`wait=${'9'.repeat(4000)}`)).headers['preference-applied'], 'wait=600');
    assert.equal((await ask(`wait=${'0'.repeat(4000)}5`)).headers['preference-applied'], 'wait=5');
  });

  it('keeps to the configured maximum, the default included', async () => {
    const settings = { ...server.deps.settings, maxWaitSeconds: 10 };
    const strict = await serveVariant(server.deps, { settings });
    try {
      for (const [asked, applied] of [
        ['wait=9', 'wait=9'],
        ['wait=11', 'wait=10'],
        ['wait=0', 'wait=10'],
      ] as const) {
        const headers = { prefer: asked };
        const answer = await strict.call('GET', url, { token: admin.token, headers });
        assert.equal(answer.headers.get('preference-applied'), applied);
      }
    } finally {
      await strict.stop();
    }
  });

  for (const value of [
    '',
    'wait',
    'wait=',
    'wait=five',
    'wait=5s',
    'wait=1.5',
    'wait=1e3',
    'wait=0x10',
    'wait= 5',
    'wait =5',
    'wait=+5',
    'wait=-2',
    'wait=-01',
    'wait=-',
    'wait="5"',
    'Wait=5',
    'wait=5,',
    'wait=5;x',
    'wait=5, respond-async',
    'respond-async, wait=5',
    'wait=٥',
  ]) {
    it(`answers 400 to ${JSON.stringify(value)}`, async () => {
      assert.deepEqual(assertEnvelope(await ask(value), 400), [
        { context: 'Prefer', message: 'the Prefer header must be wait=N with N whole seconds, or wait=-1' },
      ]);
    });
  }

  it('answers 400 to two headers, though each would do', async () => {
    assertEnvelope(await ask('wait=5', 'wait=5'), 400);
  });

  it('answers 400 to any text but the pattern, and 200 to the pattern', async () => {
    const connection = await RawConnection.open(server.url);
    const visible = fc.constantFrom(
      ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
    );
    const text = fc.oneof(
      fc.string({ unit: visible, maxLength: 20 }),
      fc
        .string({ unit: fc.constantFrom('0', '9', '-', '1', ' ', ','), maxLength: 5 })
        .map((end) => `wait=${end}`),
      fc.nat().map((seconds) => `wait=${seconds}`),
    );
    const property = fc.asyncProperty(text, async (value) => {
      connection.send(
        requestText('GET', url, [
          ['Authorization', `Bearer ${admin.token}`],
          ['Prefer', value],
        ]),
      );
      const sent = value.trim(); // space around a header's value is not part of it
      const isNumber = sent.startsWith('wait=') && /^\d+$/.test(sent.slice('wait='.length));
      assert.equal((await connection.read()).status, isNumber ? 200 : 400);
    });
    await fc.assert(property, { numRuns: 300 });
    connection.close();
  });

  it('answers 400 to wait=-1 while api.timeout_limit is enabled, which it is at first', async () => {
    const problems = assertEnvelope(await ask('wait=-1'), 400);
    assert.deepEqual(problems, [{ context: 'Prefer', message: 'the timeout bypass is not enabled' }]);
  });

  it('lifts the limit with wait=-1 while api.timeout_limit is not enabled', async () => {
    await setTimeoutLimit(false);
    const { status, headers } = await ask('wait=-1');
    assert.equal(status, 200);
    assert.equal(headers['preference-applied'], 'wait=-1');
    await setTimeoutLimit(true);
    assertEnvelope(await ask('wait=-1'), 400);
  });

  it('becomes a deadline of that many seconds, or of none', async () => {
    const waitOf = async (header: string | undefined, maxWaitSeconds: number) =>
      new Deadline((await readPrefer(header, maxWaitSeconds, async () => true)).waitSeconds).remainingMs();
    assert.equal(await waitOf('wait=-1', 600), Number.POSITIVE_INFINITY);
    for (const [header, maxWaitSeconds, seconds] of [
      [undefined, 600, 30],
      [undefined, 10, 10],
      ['wait=0', 600, 30],
      ['wait=500', 600, 500],
      ['wait=9999', 600, 600],
    ] as const) {
      const remainingMs = await waitOf(header, maxWaitSeconds);
      assert.ok(remainingMs <= seconds * 1000 && remainingMs > seconds * 1000 - 5000, String(header));
    }
  });

  it('is checked after the route and before the token (gap 1.3)', async () => {
    const headers = { prefer: 'wait=soon' };
    assertEnvelope(await server.call('GET', '/api/v2/nothing', { headers }), 404);
    assertEnvelope(await server.call('POST', url, { headers }), 405);
    const [problem] = assertEnvelope(await server.call('GET', url, { headers }), 400);
    assert.equal(problem?.context, 'Prefer');
  });

  it('is checked on public operations, too', async () => {
    const { status } = await server.call('GET', '/health/live', { headers: { prefer: 'wait=soon' } });
    assert.equal(status, 400);
  });
});
