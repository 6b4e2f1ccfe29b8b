import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { azureHoundRequest, goJson, type Reply, transmit } from '../collectors/azurehound.ts';
import { type SigningToken, signature } from '../collectors/signing.ts';
import { call, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, serveKennel } from '../server/processes.ts';

const password = 'Correct-horse-battery-9';

/** Passes everything on, but answers 502 in place of the first answer to each target that it is told to lose. */
async function lossyProxy(goal: string): Promise<{ url: string; lose: Set<string>; server: Server }> {
  const lose = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    const onward = request(goal + (incoming.url ?? ''), {
      method: incoming.method,
      headers: incoming.headers,
      agent: false,
    });
    incoming.pipe(onward);
    onward.on('error', () => outgoing.writeHead(502).end('{}'));
    onward.on('response', (answer) => {
      if (lose.delete(`${incoming.method} ${incoming.url}`)) {
        answer.resume();
        outgoing.writeHead(502, { 'content-type': 'application/json' }).end('{}');
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lose, server };
}

describe('a deployed collector', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let server: KennelProcess;
  let proxy: Awaited<ReturnType<typeof lossyProxy>>;
  let administrator: string;
  const asUser = (method: string, path: string, body?: unknown) =>
    call(server.url, method, `/api/v2/${path}`, { token: administrator, body });

  before(async () => {
    temporary = await temporaryStore();
    server = await serveKennel({ ...temporary.env, KENNEL_ADMIN_PASSWORD: password });
    proxy = await lossyProxy(server.url);
    const login = { login_method: 'secret', username: 'admin', secret: password };
    administrator = (await call(server.url, 'POST', '/api/v2/login', { body: login })).body.data
      .session_token;
  });
  after(async () => {
    proxy.server.close();
    proxy.server.closeAllConnections();
    await server.end();
    await temporary.remove();
  });

  async function register(name: string, type: string): Promise<{ id: string; token: SigningToken }> {
    const { status, body } = await asUser('POST', 'clients', { name, type });
    assert.equal(status, 200, JSON.stringify(body));
    return { id: body.data.id, token: body.data.token };
  }
  async function requestJob(clientId: string): Promise<number> {
    const { status, body } = await asUser('POST', `clients/${clientId}/jobs`, {});
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.status, 0);
    return body.data.id;
  }

  it('AzureHound: orphan, poll, start, check in, four posts of a batch, end, with lost answers', async () => {
    const { id: clientId, token } = await register('azure', 'azurehound');
    /** Retries after 5xx with the very same bytes, old date and signature included. */
    const send = async (method: string, path: string, body?: Buffer): Promise<Reply> => {
      const wire = azureHoundRequest(token, method, `/api/v2/${path}`, body);
      for (let attempt = 1; ; attempt += 1) {
        const reply = await transmit(proxy.url, wire);
        if (reply.status < 500 || attempt === 4) return reply;
      }
    };
    const update = () =>
      send(
        'PUT',
        'clients/update',
        goJson({
          address: '127.0.0.1',
          username: '',
          hostname: 'collector-host',
          version: 'v2.8.2',
          usersid: '',
        }),
      );
    /** As the collector decodes it: numbers or null, times or null, never an object or an empty text. */
    const readUpdate = ({ status, body }: Reply) => {
      assert.ok(status >= 200 && status < 400);
      const { id, name, ip_address, hostname, current_job_id, current_job } = body.data;
      assert.deepEqual([id, name, ip_address, hostname], [clientId, 'azure', '127.0.0.1', 'collector-host']);
      assert.ok(current_job_id === null || current_job_id === undefined || Number.isInteger(current_job_id));
      if (current_job === null || current_job === undefined) return undefined;
      assert.ok(Number.isInteger(current_job.id) && Number.isInteger(current_job.status));
      assert.ok(current_job.event_id === null || Number.isInteger(current_job.event_id));
      for (const member of ['execution_time', 'start_time', 'end_time'])
        assert.ok(current_job[member] === null || !Number.isNaN(Date.parse(current_job[member])), member);
      assert.equal(typeof current_job.status_message, 'string');
      return current_job as { id: number; status: number };
    };

    // An earlier life of the collector, which died while it collected.
    const orphan = await requestJob(clientId);
    assert.equal(readUpdate(await update()), undefined);
    assert.equal((await send('POST', 'jobs/start', goJson({ id: orphan }))).status, 200);

    const found = readUpdate(await update());
    assert.deepEqual([found?.id, found?.status], [orphan, 1]);
    const message = 'This job has been orphaned. Re-run collection for complete data.';
    proxy.lose.add('POST /api/v2/jobs/end');
    assert.equal((await send('POST', 'jobs/end', goJson({ status: 'FAILED', message }))).status, 200);
    const orphaned = (await asUser('GET', `jobs/${orphan}`)).body.data;
    assert.deepEqual([orphaned.status, orphaned.status_message], [5, `${message} Nothing arrived.`]);

    // Idle: nothing is due.
    assert.deepEqual((await send('GET', 'jobs/available')).body.data, []);
    const wanted = await requestJob(clientId);
    const available = (await send('GET', 'jobs/available')).body.data as {
      id: number;
      status: number;
      execution_time: string;
    }[];
    const due = available
      .filter((job) => job.status === 0 && Date.parse(job.execution_time) <= Date.now())
      .sort((a, b) => Date.parse(a.execution_time) - Date.parse(b.execution_time));
    assert.equal(due[0]?.id, wanted);
    proxy.lose.add('POST /api/v2/jobs/start');
    assert.equal((await send('POST', 'jobs/start', goJson({ id: wanted }))).status, 200);
    assert.equal((await send('GET', 'jobs/current')).body.data.id, wanted);

    const batches = [0, 1, 2].map((number) =>
      gzipSync(
        goJson({
          meta: { type: 'azure', version: 0, count: 0 },
          data: [{ kind: 'AZTenant', data: { tenantId: `tenant-${number}`, collected: true } }],
        }),
      ),
    );
    proxy.lose.add('POST /api/v2/ingest');
    for (const batch of batches) {
      const wire = azureHoundRequest(token, 'POST', '/api/v2/ingest', batch);
      const statuses: number[] = [];
      // It never leaves its loop early: every batch is posted four times, byte for byte.
      for (let attempt = 0; attempt < 4; attempt += 1)
        statuses.push((await transmit(proxy.url, wire)).status);
      assert.deepEqual(
        statuses.filter((status) => status !== 502),
        Array(statuses[0] === 502 ? 3 : 4).fill(202),
      );
      assert.equal((await send('GET', 'jobs/current')).status, 200);
    }
    proxy.lose.add('POST /api/v2/jobs/end');
    const ending = goJson({ status: 'COMPLETE', message: 'Collection completed successfully' });
    assert.equal((await send('POST', 'jobs/end', ending)).status, 200);

    const ended = (await asUser('GET', `jobs/${wanted}`)).body.data;
    assert.deepEqual(
      [ended.status, ended.status_message],
      [6, 'Collection completed successfully'],
      'what it sent waits to be read',
    );
    const log = (await asUser('GET', `audit?action=eq:EndJob`)).body.data.logs;
    assert.equal(
      log.filter(({ fields }: { fields: { job_id: number } }) => fields.job_id === wanted).length,
      1,
    );
    // Back to polling.
    assert.deepEqual((await send('GET', 'jobs/available')).body.data, []);
    assert.equal((await send('GET', 'jobs/current')).status, 404);
  });

  it('OpenHound: capitalised members, the first job that is offered, strict reading of every answer', async () => {
    const { id: clientId, token } = await register('open', 'openhound');
    const send = async (method: string, path: string, body?: Buffer, more: Record<string, string> = {}) => {
      const target = `/api/v2/${path}`;
      const date = new Date().toISOString().replace('Z', '903+00:00');
      const reply = await transmit(server.url, {
        method,
        target,
        body,
        headers: {
          'User-Agent': 'openhound/v0.3.0',
          Authorization: `bhesignature ${token.id}`,
          RequestDate: date,
          Signature: signature(token.key, method, target, date, body ?? ''),
          ...(body === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }),
          ...more,
        },
      });
      return reply;
    };
    const accepted = ({ status, body }: Reply) => {
      assert.ok([200, 201, 202].includes(status), `${status} ${JSON.stringify(body)}`);
      return body?.data;
    };
    type Item = Record<string, unknown>;
    const flags = [
      'session_collection',
      'local_group_collection',
      'ad_structure_collection',
      'cert_services_collection',
      'ca_registry_collection',
      'dc_registry_collection',
      'all_trusted_domains',
    ];
    const isText = (value: unknown) => typeof value === 'string';
    const isTime = (value: unknown) => isText(value) && !Number.isNaN(Date.parse(String(value)));
    const orNull = (check: (value: unknown) => boolean) => (value: unknown) => value === null || check(value);
    const shape: Record<string, (value: unknown) => boolean> = {
      id: Number.isInteger,
      client_id: isText,
      client_name: isText,
      event_id: orNull(Number.isInteger),
      execution_time: isTime,
      status: Number.isInteger,
      status_message: isText,
      domain_controller: orNull(isText),
      ...Object.fromEntries(flags.map((flag) => [flag, (value: unknown) => typeof value === 'boolean'])),
    };
    const started: typeof shape = {
      ...shape,
      start_time: isTime,
      end_time: isTime,
      created_at: isTime,
      updated_at: isTime,
      log_path: orNull(isText),
      event_title: isText,
      last_ingest: isTime,
      deleted_at: (value) => isTime((value as Item).Time) && typeof (value as Item).Valid === 'boolean',
    };
    /** Every member must be there, and of its type; anything else makes the collector end the job as failed. */
    const strictly = (item: Item, expected: typeof shape) => {
      for (const [member, check] of Object.entries(expected)) {
        assert.ok(member in item, `${member} is missing`);
        assert.ok(check(item[member]), `${member}: ${JSON.stringify(item[member])}`);
      }
      return item;
    };

    accepted(
      await send(
        'PUT',
        'clients/update',
        Buffer.from('{"Address":"10.0.0.9","Hostname":"oh","Version":"v0.3.0"}'),
      ),
    );
    assert.equal((await send('GET', 'jobs/current')).status, 404);
    assert.deepEqual(accepted(await send('GET', 'jobs/available')), []);
    const wanted = await requestJob(clientId);
    const [first] = accepted(await send('GET', 'jobs/available')) as Item[];
    assert.equal(strictly(first as Item, shape).id, wanted);
    strictly(
      accepted(await send('POST', 'jobs/start', Buffer.from(JSON.stringify({ id: wanted })))),
      started,
    );
    strictly(accepted(await send('GET', 'jobs/current')), shape);
    const graph = {
      metadata: { source_kind: 'GHBase' },
      graph: { nodes: [{ id: 'n1', kinds: ['GHUser'], properties: { name: 'x' } }], edges: [] },
    };
    accepted(await send('POST', 'ingest', gzipSync(JSON.stringify(graph)), { 'Content-Encoding': 'gzip' }));
    const end = Buffer.from(
      JSON.stringify({ status: 'complete', message: 'The service collected successfully' }),
    );
    const job = strictly(accepted(await send('POST', 'jobs/end', end)), shape);
    assert.deepEqual([job.id, job.status], [wanted, 6]);
    // Were its answer unreadable, it would end the job a second time, as failed: that must change nothing.
    const second = await send('POST', 'jobs/end', Buffer.from('{"status":"failed","message":"validation"}'));
    assert.equal(second.status, 404);
    assert.equal((await asUser('GET', `jobs/${wanted}`)).body.data.status, 6);
  });
});
