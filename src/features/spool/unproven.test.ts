import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { spooled } from '../../../test/collectors/ingest.ts';
import { type SigningToken, signedHeaders } from '../../../test/collectors/signing.ts';
import { makeClient, makeJob, makeSigningToken, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope, until } from '../../../test/server/pipeline.ts';
import { RawConnection, requestText } from '../../../test/server/raw-http.ts';
import { jobStatus } from '../jobs/index.ts';

const path = '/api/v2/ingest';
const mebibyte = 1024 * 1024;
/** So much that it is stored in any spool. */
const block = '{'.padEnd(mebibyte);
const home = '192.0.2.10';

describe('bodies with a made-up signature', () => {
  let server: TestServer;
  const open: RawConnection[] = [];

  before(async () => {
    server = await startTestServer({ KENNEL_UNVERIFIED_MAX_MB: '5' });
    await server.deps.db.transaction((db) =>
      db.execute('update parameters set value = $1 where key = $2', [
        '{"trusted_proxies":1}',
        'http.trusted_proxies',
      ]),
    );
  });
  afterEach(async () => {
    for (const connection of open.splice(0)) connection.close();
    await until(async () => (await strays()) === 0, 'the end of what was sent in vain');
  });
  after(() => server.stop());

  /** What lies in the spool and counts for nothing. */
  async function strays(): Promise<number> {
    const rows = await server.deps.db.query('select 1 from ingest_files where spool_id is not null');
    return (await spooled(server.deps)).length - rows.length;
  }

  async function collector(): Promise<SigningToken> {
    const client = await makeClient(server.deps);
    await makeJob(server.deps, client, jobStatus.running);
    return makeSigningToken(server.deps, { clientId: client.id });
  }

  /** Whoever knows a token's id sends its beginning, and nothing more for the moment. */
  async function attack({ id }: SigningToken, address: string, body = block, announced = 2 * mebibyte) {
    const connection = await RawConnection.open(server.url);
    open.push(connection);
    connection.send(
      requestText('POST', path, [
        ['Authorization', `bhesignature ${id}`],
        ['RequestDate', new Date(server.now()).toISOString()],
        ['Signature', randomBytes(32).toString('base64')],
        ['X-Forwarded-For', address],
        ['Content-Length', String(announced)],
      ]) + body,
    );
    return connection;
  }

  const send = (token: SigningToken, method: string, target: string, body: string | undefined, from = home) =>
    server.call(method, target, {
      headers: { ...signedHeaders(token, method, target, body), 'x-forwarded-for': from },
      ...(body === undefined ? {} : { body }),
    });
  const ingest = (token: SigningToken, body = '{}', from = home) => send(token, 'POST', path, body, from);

  /** How many of them were refused, once all the others lie in the spool. */
  async function refusals(connections: readonly RawConnection[]): Promise<string[]> {
    const messages: string[] = [];
    for (const connection of connections) {
      void connection.read().then(
        (answer) => messages.push(assertEnvelope(answer, 503)[0]?.message ?? ''),
        () => {}, // it was not answered before the test ended
      );
    }
    await until(async () => {
      const waiting = await strays();
      return waiting + messages.length === connections.length;
    }, 'a place or a refusal for each');
    return messages;
  }

  it('do not shut out the collector whose id they use, nor anybody else', async () => {
    const [victim, other, stranger] = [await collector(), await collector(), await collector()];
    for (const token of [victim, other])
      assert.equal((await send(token, 'GET', '/api/v2/self', undefined)).status, 200);
    const sent: RawConnection[] = [];
    for (let n = 0; n < 40; n += 1) sent.push(await attack(victim, `198.51.100.${n}`));
    const refused = await refusals(sent);
    // An eighth of the 32 places.
    assert.equal(sent.length - refused.length, 4);
    for (const token of [victim, other, stranger]) assert.equal((await ingest(token)).status, 202);
  });

  it('take half of the places at most, whatever ids they use', async () => {
    const proven = await collector();
    assert.equal((await send(proven, 'GET', '/api/v2/self', undefined)).status, 200);
    const sent: RawConnection[] = [];
    for (let n = 0; n < 10; n += 1) {
      const known = await collector();
      for (let m = 0; m < 4; m += 1) sent.push(await attack(known, `198.51.${n}.${m}`));
    }
    const refused = await refusals(sent);
    assert.equal(sent.length - refused.length, 16);
    assert.ok(
      refused.every((message) => /16 bodies already whose senders have proven nothing/.test(message)),
    );
    assert.equal((await ingest(proven)).status, 202);
    const person = await makeUser(server.deps);
    const started = await server.call('POST', '/api/v2/file-upload/start', { token: person.token });
    const attached = await server.call('POST', `/api/v2/file-upload/${started.body.data.id}`, {
      token: person.token,
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(attached.status, 202);
  });

  it('take a quarter of the places at most from one network, also from many addresses of a /64', async () => {
    const sent: RawConnection[] = [];
    for (let n = 0; n < 5; n += 1) {
      const known = await collector();
      for (let m = 0; m < 4; m += 1) sent.push(await attack(known, `2001:db8:0:1::${n}${m}`));
    }
    const refused = await refusals(sent);
    assert.equal(sent.length - refused.length, 8);
    assert.ok(refused.every((message) => /8 bodies at a time may come from your address/.test(message)));
  });

  it('are refused beyond KENNEL_UNVERIFIED_MAX_MB, announced or not; who has proven itself is not', async () => {
    const token = await collector();
    const announced = await attack(token, home, '{', 6 * mebibyte);
    const [problem] = assertEnvelope(await announced.read(), 503);
    assert.match(problem?.message ?? '', /5 MiB \(KENNEL_UNVERIFIED_MAX_MB\)/);

    const body = JSON.stringify({ a: 'x'.repeat(6 * mebibyte) });
    const connection = await RawConnection.open(server.url);
    open.push(connection);
    const headers = { ...signedHeaders(token, 'POST', path, body), 'x-forwarded-for': home };
    connection.send(
      requestText('POST', path, [...Object.entries(headers), ['Transfer-Encoding', 'chunked']]),
    );
    connection.send(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    // It was read to its end, so that a right signature is known to be one from now on.
    assertEnvelope(await connection.read(), 503);
    assert.equal((await ingest(token, body)).status, 202);
    assertEnvelope(await ingest(token, body, '203.0.113.1'), 503);
    server.advance(3_600_000);
    const late = new Date(server.now()).toISOString();
    const signed = { ...signedHeaders(token, 'POST', path, body, late), 'x-forwarded-for': home };
    assertEnvelope(await server.call('POST', path, { headers: signed, body }), 503);
    server.advance(-3_600_000);
  });

  it('leave nothing in the spool once they are answered or their connection has ended', async () => {
    const token = await collector();
    const whole = await attack(token, home, '{'.padEnd(2 * mebibyte), 2 * mebibyte);
    assertEnvelope(await whole.read(), 401);
    assert.equal(await strays(), 0);
    const half = await attack(token, home, '{'.padEnd(2 * mebibyte), 2 * mebibyte + 1);
    await until(async () => (await strays()) === 1, 'its arrival');
    half.close();
    await until(async () => (await strays()) === 0, 'its removal');
  });
});
