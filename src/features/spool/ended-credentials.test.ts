import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { signedHeaders } from '../../../test/collectors/signing.ts';
import {
  type MadeUser,
  makeClient,
  makeJob,
  makeSigningToken,
  makeUser,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus } from '../jobs/index.ts';

describe('POST /api/v2/ingest by a collector whose key is replaced while the body arrives', () => {
  let server: TestServer;
  let administrator: MadeUser;
  const target = '/api/v2/ingest';
  const body = Buffer.from(JSON.stringify({ meta: { type: 'azure' }, data: [] }));

  before(async () => {
    server = await startTestServer();
    administrator = await makeUser(server.deps);
  });
  after(() => server.stop());

  /** Sends one half of the body, waits for `meanwhile`, and sends the other. */
  async function sendInHalves(
    headers: Record<string, string>,
    meanwhile: () => Promise<void>,
  ): Promise<number> {
    const sent = request(server.url + target, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(body.length) },
    });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.write(body.subarray(0, 10));
    await sleep(100); // so that the request has been identified by its first half
    await meanwhile();
    sent.end(body.subarray(10));
    const [answer] = await answered;
    answer.resume();
    return answer.statusCode ?? 0;
  }

  for (const way of ['signature', 'Bearer token'] as const) {
    it(`answers 401 to its ${way}, and keeps nothing`, async () => {
      const collector = await makeClient(server.deps);
      const token = await makeSigningToken(server.deps, { clientId: collector.id });
      const job = await makeJob(server.deps, collector, jobStatus.running);
      const headers = (): Record<string, string> =>
        way === 'signature'
          ? signedHeaders(token, 'POST', target, body)
          : { authorization: `Bearer ${collector.token}` };
      const rotate = async () => {
        const answer = await server.call('PUT', `/api/v2/clients/${collector.id}/token`, {
          token: administrator.token,
        });
        assert.equal(answer.status, 200);
      };
      const kept = async () =>
        (await server.deps.db.query('select id from ingest_files where job_id = $1', [job])).length;
      assert.equal(await sendInHalves(headers(), rotate), 401);
      assert.equal(await kept(), 0);
    });
  }
});
