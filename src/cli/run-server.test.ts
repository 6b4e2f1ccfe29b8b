import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { get as getHttps } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { makeClient, makeJob, makeUser } from '../../test/server/builders.ts';
import { call, store, temporaryStore } from '../../test/server/harness.ts';
import { RawConnection } from '../../test/server/raw-http.ts';
import { makeCertificate, privateKeyPem } from '../../test/sso/certificates.ts';
import { readSettings } from '../config.ts';
import { LockedError } from '../db/server-lock.ts';
import { jobStatus } from '../features/jobs/index.ts';
import { type RunningServer, startServer } from './run-server.ts';

const fixtures = fileURLToPath(new URL('../../test/fixtures/', import.meta.url));
const cleanUps: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function makeStore(): Promise<Record<string, string>> {
  const { env, remove } = await temporaryStore();
  cleanUps.push(remove);
  return env;
}

async function start(env: Record<string, string>): Promise<RunningServer> {
  const server = await startServer(readSettings(env));
  cleanUps.push(() => server.stop());
  return server;
}

/** A port that nobody uses, and one that is used until the end of the test. */
async function takePort(): Promise<number> {
  const taker = createServer().listen(0, '127.0.0.1');
  await once(taker, 'listening');
  cleanUps.push(async () => {
    taker.close();
  });
  return (taker.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const taker = createServer().listen(0, '127.0.0.1');
  await once(taker, 'listening');
  const { port } = taker.address() as AddressInfo;
  taker.close();
  await once(taker, 'close');
  return port;
}

describe('startServer', () => {
  it('picks a port when it is told 0, and says which', async () => {
    const { url, metricsUrl } = await start(await makeStore());
    assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    assert.equal(metricsUrl, undefined);
    assert.equal((await call(url, 'GET', '/health/ready')).status, 200);
  });

  it('tells of collectors in trouble: in its readiness and its metrics', async () => {
    const port = await freePort();
    const { url, metricsUrl, deps } = await start({
      ...(await makeStore()),
      KENNEL_METRICS_PORT: String(port),
    });
    const [good, bad] = [await makeClient(deps), await makeClient(deps)];
    await makeJob(deps, good, jobStatus.complete);
    await makeJob(deps, bad, jobStatus.timedOut);
    await makeJob(deps, bad, jobStatus.canceled);
    assert.equal((await call(url, 'GET', '/health/ready')).body.collectors_failing, 1);
    const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
    assert.match(metrics, /^kennel_collectors_failing 1$/m);
    assert.match(metrics, /^kennel_jobs_abandoned 0$/m);
    const abandoned = await makeJob(deps, good, jobStatus.failed, { start_time: deps.clock() });
    await deps.db.transaction((db) =>
      db.execute('update jobs set abandoned_at = $2 where id = $1', [abandoned, deps.clock()]),
    );
    const later = await (await fetch(`${metricsUrl}/metrics`)).text();
    assert.match(later, /^kennel_collectors_failing 2$/m);
    assert.match(later, /^kennel_jobs_abandoned 1$/m);
  });

  it('keeps what is stored over a restart', async () => {
    const env = await makeStore();
    const first = await start(env);
    const { token } = await makeUser(first.deps);
    await first.stop();
    cleanUps.pop();
    const second = await start(env);
    assert.equal((await call(second.url, 'GET', '/api/v2/self', { token })).status, 200);
  });

  if (store === 'sqlite') {
    it('refuses a data directory that another server uses, and takes it when that one has stopped', async () => {
      const env = await makeStore();
      const first = await start(env);
      await assert.rejects(startServer(readSettings(env)), (error: Error) => {
        assert.ok(error instanceof LockedError);
        assert.equal(
          error.message,
          `another Kennel server is using ${env.KENNEL_DATA_DIR}: stop it, or choose another KENNEL_DATA_DIR`,
        );
        return true;
      });
      assert.equal((await call(first.url, 'GET', '/health/ready')).status, 200);
      await first.stop();
      cleanUps.pop();
      assert.equal((await call((await start(env)).url, 'GET', '/health/ready')).status, 200);
    });
  } else {
    it('lets several servers share one database', async () => {
      const env = await makeStore();
      const first = await start(env);
      const second = await start(env);
      const { token } = await makeUser(first.deps);
      assert.equal((await call(second.url, 'GET', '/api/v2/self', { token })).status, 200);
    });
  }

  it('leaves nothing behind when its port is in use', async () => {
    const env = await makeStore();
    const metricsPort = await freePort();
    const taken = { KENNEL_PORT: String(await takePort()), KENNEL_METRICS_PORT: String(metricsPort) };
    await assert.rejects(startServer(readSettings({ ...env, ...taken })), /is in use/);
    await assert.rejects(RawConnection.open(`http://127.0.0.1:${metricsPort}`), /ECONNREFUSED/);
    await start(env);
  });

  it('leaves nothing behind when its metrics port is in use', async () => {
    const env = await makeStore();
    const port = await freePort();
    const taken = { KENNEL_PORT: String(port), KENNEL_METRICS_PORT: String(await takePort()) };
    await assert.rejects(
      startServer(readSettings({ ...env, ...taken })),
      /is in use: choose another KENNEL_METRICS_PORT/,
    );
    await assert.rejects(RawConnection.open(`http://127.0.0.1:${port}`), /ECONNREFUSED/);
    await start(env);
  });
});

describe('KENNEL_METRICS_PORT', () => {
  it('serves metrics whose labels are route templates, never identifiers', async () => {
    const { url, metricsUrl = '' } = await start({ ...(await makeStore()), KENNEL_METRICS_PORT: '0' });
    await call(url, 'GET', '/api/v2/custom-nodes/marked-identifier?marked-query=1');
    await call(url, 'GET', '/marked-path');
    await call(url, 'PATCH', '/api/v2/custom-nodes/marked-identifier');
    const { status, text, headers } = await call(metricsUrl, 'GET', '/metrics');
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    const sums = [...text.matchAll(/^kennel_http_request_duration_seconds_sum\{.*\} (\S+)$/gm)];
    assert.ok(sums.length > 0);
    for (const [line, seconds] of sums) assert.ok(Number(seconds) > 0, line);
    const counted = [...text.matchAll(/^kennel_http_request_duration_seconds_count\{(.*)\} 1$/gm)];
    assert.deepEqual(
      counted.map(([, labels]) => labels),
      [
        'method="GET",route="/api/v2/custom-nodes/{kind_name}",status="401"',
        'method="GET",route="(none)",status="404"',
        'method="PATCH",route="/api/v2/custom-nodes/:kind_name",status="405"',
      ],
    );
    assert.doesNotMatch(text, /marked/);
    assert.match(text, /^process_cpu_seconds_total /m);
    assert.match(text, /^kennel_one_time_password_pauses_total \d+$/m);
  });

  it('has a liveness probe of its own and nothing else, and ends with the server', async () => {
    const { url, metricsUrl = '', stop } = await start({ ...(await makeStore()), KENNEL_METRICS_PORT: '0' });
    assert.deepEqual((await call(metricsUrl, 'GET', '/health/live')).body, { status: 'live' });
    for (const path of ['/', '/api/v2/openapi.json', '/health/ready'])
      assert.equal((await fetch(metricsUrl + path)).status, 404);
    assert.equal((await call(url, 'GET', '/metrics')).status, 404);
    cleanUps.pop();
    await stop();
    await assert.rejects(RawConnection.open(metricsUrl), /ECONNREFUSED/);
  });
});

describe('KENNEL_TLS_CERT and KENNEL_TLS_KEY', () => {
  const tls = {
    KENNEL_TLS_CERT: join(fixtures, 'localhost.cert.pem'),
    KENNEL_TLS_KEY: join(fixtures, 'localhost.key.pem'),
  };
  const ca = readFileSync(tls.KENNEL_TLS_CERT);

  it('serve HTTPS, and demand it from then on', async () => {
    const { url } = await start({ ...(await makeStore()), ...tls });
    assert.match(url, /^https:/);
    const [response] = await once(getHttps(`${url}/health/live`, { ca, agent: false }), 'response');
    response.resume();
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers['strict-transport-security'], 'max-age=31536000; includeSubDomains');
  });

  it('serve nothing older than TLS 1.2, and no plain HTTP', async () => {
    const { url } = await start({ ...(await makeStore()), ...tls });
    const { port } = new URL(url);
    const old = connectTls({ port: Number(port), ca, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
    await assert.rejects(once(old, 'secureConnect'));
    await assert.rejects(fetch(`http://127.0.0.1:${port}/health/live`));
  });

  it('take only suites with forward secrecy and authenticated encryption in TLS 1.2', async () => {
    const store = await makeStore();
    const certificate = join(store.KENNEL_DATA_DIR ?? '', 'rsa.cert.pem');
    const key = join(store.KENNEL_DATA_DIR ?? '', 'rsa.key.pem');
    const base64 = makeCertificate({ commonName: 'localhost' });
    writeFileSync(certificate, `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`);
    writeFileSync(key, privateKeyPem('rsa2048'));
    const { url } = await start({ ...store, KENNEL_TLS_CERT: certificate, KENNEL_TLS_KEY: key });
    const handshake = async (ciphers: string) => {
      const socket = connectTls({
        port: Number(new URL(url).port),
        rejectUnauthorized: false,
        maxVersion: 'TLSv1.2',
        ciphers,
      });
      await once(socket, 'secureConnect');
      socket.destroy();
    };
    for (const suite of [
      'ECDHE-RSA-AES128-GCM-SHA256',
      'ECDHE-RSA-AES256-GCM-SHA384',
      'ECDHE-RSA-CHACHA20-POLY1305',
    ])
      await handshake(suite);
    for (const suite of [
      'AES128-GCM-SHA256',
      'AES256-SHA256',
      'ECDHE-RSA-AES128-SHA256',
      'ECDHE-RSA-AES256-SHA',
    ])
      await assert.rejects(handshake(suite), /handshake failure/i, suite);
  });
});
