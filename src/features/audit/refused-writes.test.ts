import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { signedHeaders } from '../../../test/collectors/signing.ts';
import {
  auditRows,
  type MadeUser,
  makeClient,
  makeSigningToken,
  makeUser,
  sharedPassword,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { RefusedWrites } from './refused-writes.ts';

const minute = 60_000;
const config = '/api/v2/config';
const body = { key: 'analysis.reconciliation', value: { enabled: true } };

describe('a write that a known caller may not make', () => {
  let server: TestServer;
  let user: MadeUser;

  before(async () => {
    server = await startTestServer();
  });
  beforeEach(async () => {
    user = await makeUser(server.deps, 'User');
  });
  after(() => server.stop());

  const put = (token = user.token) => server.call('PUT', config, { token, body });
  const recordsOf = async (name = user.name) =>
    (await auditRows(server.deps)).filter((row) => row.action === 'RefusedWrite' && row.actor_name === name);
  const countsOf = async () => (await recordsOf()).map(({ fields }) => fields.count);

  it('has a record before it is answered, with what it was and why', async () => {
    const { status, headers } = await put();
    assert.equal(status, 403);
    const reason = 'this needs the permission app.WriteAppConfig';
    assert.deepEqual(await recordsOf(), [
      {
        action: 'RefusedWrite',
        outcome: 'failure',
        actor_name: user.name,
        request_id: headers.get('x-request-id'),
        fields: { operation: 'SetAppConfigParam', method: 'PUT', path: config, reason, count: 1 },
      },
    ]);
  });

  it('has one record a minute for each caller and operation, with a count of all of them', async () => {
    for (let n = 0; n < 5; n += 1) await put();
    assert.deepEqual(await countsOf(), [1]);
    await server.call('POST', '/api/v2/clear-database', { token: user.token, body: {} });
    const other = await makeUser(server.deps, 'User');
    await put(other.token);
    assert.deepEqual([(await recordsOf()).length, (await recordsOf(other.name)).length], [2, 1]);
    server.advance(minute);
    await put();
    assert.deepEqual(await countsOf(), [5, 1, 1]);
  });

  it('has its record where the handler refuses it, too', async () => {
    const administrator = await makeUser(server.deps);
    const write = { key: 'http.trusted_proxies', value: { trusted_proxies: 1 } };
    const { status } = await server.call('PUT', config, { token: administrator.token, body: write });
    assert.equal(status, 403);
    const [record] = await recordsOf(administrator.name);
    assert.match(String(record?.fields.reason), /http\.trusted_proxies is protected/);
  });

  it('has its record for a collector and for a signed request', async () => {
    const collector = await makeClient(server.deps);
    await put(collector.token);
    assert.equal((await recordsOf(collector.name)).length, 1);
    const token = await makeSigningToken(server.deps, { userId: user.id });
    const text = JSON.stringify(body);
    const date = new Date(server.now()).toISOString();
    const headers = {
      ...signedHeaders(token, 'PUT', config, text, date),
      'content-type': 'application/json',
    };
    assert.equal((await server.call('PUT', config, { headers, body: text })).status, 403);
    assert.equal((await recordsOf()).length, 1);
  });

  it('is not what reads, unknown callers, unproven signatures and wrong passwords leave behind', async () => {
    const before = (await auditRows(server.deps)).filter((row) => row.action === 'RefusedWrite').length;
    assert.equal((await server.call('GET', '/api/v2/audit', { token: user.token })).status, 403);
    assert.equal((await server.call('PUT', config, { body })).status, 401);
    const token = await makeSigningToken(server.deps, { userId: user.id });
    const forged = signedHeaders({ ...token, key: 'made up' }, 'POST', '/api/v2/ingest', '{}');
    const ingest = await server.call('POST', '/api/v2/ingest', { headers: forged, body: Buffer.from('{}') });
    assert.ok([401, 403].includes(ingest.status), String(ingest.status));
    const wrong = { current_secret: 'wrong', secret: `${sharedPassword}0` };
    const own = `/api/v2/bloodhound-users/${user.id}/secret`;
    assert.equal((await server.call('PUT', own, { token: user.token, body: wrong })).status, 403);
    const after = (await auditRows(server.deps)).filter((row) => row.action === 'RefusedWrite').length;
    assert.equal(after, before);
  });

  it('is recorded later where it was only counted: after its minute, or at the shutdown', async () => {
    const writes = new RefusedWrites(server.deps);
    const origin = {
      actor: { kind: 'user', id: user.id, name: user.name },
      requestId: '',
      address: '',
    } as const;
    const note = () => writes.note({ operation: 'Op', method: 'PUT', path: '/', reason: 'no', origin });
    await Promise.all([note(), note(), note()]);
    await writes.flush();
    assert.deepEqual(await countsOf(), [1]);
    server.advance(minute);
    await writes.flush();
    assert.deepEqual(await countsOf(), [2, 1]);
    await note();
    await writes.flush({ all: true });
    assert.deepEqual(await countsOf(), [1, 2, 1]);
  });
});
