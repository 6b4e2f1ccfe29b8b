import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type SigningToken, signedHeaders } from '../collectors/signing.ts';
import { store, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, serveKennel } from '../server/processes.ts';

/** All of them once; the second store only shows that nothing depends on the first. */
const calls = store === 'sqlite' ? 10_000 : 1000;
/** Only so many: each costs a password hash. */
const hashingCalls = store === 'sqlite' ? 120 : 48;
const inParallel = 8;

/** Part of every secret of this test, and of nothing else. */
const mark = `Mk${randomBytes(6).toString('hex')}`;
const marked = () => `${mark}-${randomBytes(4).toString('hex')}-Zz9!`;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

describe('10,000 mixed calls with marked passwords, tokens and keys', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let server: KennelProcess;
  const password = marked();
  const secrets = new Set<string>([mark]);
  const errors: string[] = [];
  const statuses = new Map<number, number>();

  before(async () => {
    temporary = await temporaryStore();
    const env = {
      ...temporary.env,
      KENNEL_ADMIN_PASSWORD: password,
      KENNEL_LOG_LEVEL: 'trace',
      KENNEL_METRICS_PORT: '0',
    };
    server = await serveKennel(env);
  });
  after(() => temporary.remove());

  async function send({ method, path, headers = {}, body }: Sent): Promise<{ status: number; text: string }> {
    const answer = await fetch(server.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status >= 400) errors.push(text);
    return { status: answer.status, text };
  }
  const json = (method: string, path: string, value: unknown, authorization?: string): Sent => ({
    method,
    path,
    headers: authorization === undefined ? {} : { authorization },
    body: JSON.stringify(value),
  });

  it('leave no mark in logs, errors, audit, metrics or the store', async () => {
    const login = { login_method: 'secret', username: 'admin', secret: password };
    const session = JSON.parse((await send(json('POST', '/api/v2/login', login))).text).data;
    const bearer = `Bearer ${session.session_token}`;
    secrets.add(session.session_token).add(session.session_token.split('.')[2]);
    const token: SigningToken = JSON.parse(
      (await send(json('POST', '/api/v2/tokens', { token_name: 'signer' }, bearer))).text,
    ).data;
    secrets.add(token.key);

    /** Cheap calls, each with a secret somewhere, right or wrong. */
    const cheap: (() => Sent)[] = [
      () => ({ method: 'GET', path: '/api/v2/self', headers: { authorization: bearer } }),
      () => ({ method: 'GET', path: '/api/v2/self', headers: { authorization: `Bearer ${marked()}` } }),
      () => ({ method: 'GET', path: '/api/v2/self', headers: { authorization: marked() } }),
      () => ({ method: 'GET', path: '/api/v2/self', headers: { authorization: `Basic ${marked()}` } }),
      () => ({ method: 'GET', path: '/api/v2/self', headers: { cookie: `session=${marked()}` } }),
      () => ({
        method: 'GET',
        path: '/api/v2/self',
        headers: signedHeaders(token, 'GET', '/api/v2/self'),
      }),
      () => ({
        method: 'GET',
        path: '/api/v2/self',
        headers: signedHeaders({ id: token.id, key: marked() }, 'GET', '/api/v2/self'),
      }),
      () => ({
        method: 'GET',
        path: '/api/v2/self',
        headers: { ...signedHeaders(token, 'GET', '/api/v2/self'), signature: marked() },
      }),
      () => ({
        method: 'GET',
        path: '/api/v2/self',
        headers: { authorization: `bhesignature ${marked()}`, requestdate: marked(), signature: marked() },
      }),
      () => ({
        method: 'GET',
        path: `/api/v2/self?access_token=${marked()}`,
        headers: { authorization: bearer },
      }),
      () => ({ method: 'GET', path: `/api/v2/login?secret=${marked()}&password=${marked()}` }),
      () => json('PUT', '/api/v2/config', { key: 'x', value: {} }, `Bearer ${marked()}`),
      () => json('POST', '/api/v2/login', { ...login, secret: [marked()] }),
      () => json('POST', '/api/v2/login', { ...login, secret: { deep: marked() } }),
      () => json('POST', '/api/v2/login', { login_method: 'sso', username: 'x', secret: marked() }),
      () => ({ ...json('POST', '/api/v2/login', 0), body: `{"secret":"${marked()}"` }),
      () =>
        json('POST', '/api/v2/bloodhound-users', { principal: 'p', roles: [99], secret: marked() }, bearer),
      () => json('POST', '/api/v2/bloodhound-users', { principal: 'p', secret: `${mark}` }, bearer),
      () =>
        json(
          'PUT',
          `/api/v2/bloodhound-users/${randomUUID()}/secret`,
          { secret: 7, current_secret: [marked()] },
          bearer,
        ),
      () => json('PUT', `/api/v2/bloodhound-users/${session.user_id}/secret`, { secret: mark }, bearer),
      () =>
        json(
          'POST',
          `/api/v2/bloodhound-users/${session.user_id}/mfa`,
          { secret: null, otp: marked() },
          bearer,
        ),
    ];
    /** Calls that check or make a password, or hand out something secret. */
    const dear: ((index: number) => Promise<void>)[] = [
      async (index) => {
        await send(
          json('POST', '/api/v2/login', { ...login, username: `nobody-${index}`, secret: marked() }),
        );
      },
      // A password typed where the name belongs.
      async () => {
        await send(json('POST', '/api/v2/login', { ...login, username: marked(), secret: 'x' }));
      },
      async (index) => {
        const body = { principal: `made-${index}`, roles: [3], secret: marked() };
        const { status, text } = await send(json('POST', '/api/v2/bloodhound-users', body, bearer));
        if (status !== 200) return;
        const { id } = JSON.parse(text).data;
        const other = json('PUT', `/api/v2/bloodhound-users/${id}/secret`, { secret: marked() }, bearer);
        await send(other);
      },
      async (index) => {
        const body = { principal: `reset-${index}`, roles: [3], needs_password_reset: true };
        const { status, text } = await send(json('POST', '/api/v2/bloodhound-users', body, bearer));
        if (status === 200) secrets.add(JSON.parse(text).data.one_time_secret);
      },
      async (index) => {
        const { text } = await send(json('POST', '/api/v2/tokens', { token_name: `t${index}` }, bearer));
        const made = JSON.parse(text).data as SigningToken;
        secrets.add(made.key);
        await send({
          method: 'GET',
          path: '/api/v2/tokens',
          headers: signedHeaders(made, 'GET', '/api/v2/tokens'),
        });
      },
      async () => {
        const path = `/api/v2/bloodhound-users/${session.user_id}`;
        const { status, text } = await send(json('POST', `${path}/mfa`, { secret: password }, bearer));
        if (status === 200) secrets.add(JSON.parse(text).data.totp_secret);
        await send(json('POST', `${path}/mfa-activation`, { otp: mark.slice(0, 6) }, bearer));
        const change = { current_secret: marked(), secret: marked() };
        await send(json('PUT', `${path}/secret`, change, bearer));
      },
    ];

    let next = 0;
    const work = async () => {
      while (next < calls) {
        const index = next;
        next += 1;
        const isDear = index % Math.floor(calls / hashingCalls) === 0;
        const turn = Math.floor(index / Math.floor(calls / hashingCalls));
        if (isDear) await dear[turn % dear.length]?.(index);
        else await send((cheap[index % cheap.length] as () => Sent)());
      }
    };
    await Promise.all(Array.from({ length: inParallel }, work));

    const metrics = await (await fetch(`${server.ready.metrics_url}/metrics`)).text();
    const audit = await (
      await fetch(`${server.url}/api/v2/audit`, {
        headers: { authorization: bearer, accept: 'application/x-ndjson' },
      })
    ).text();
    const { stdout, stderr, code } = await server.end();
    assert.equal(code, 0, stderr.slice(-2000));
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(total >= calls, String(total));
    assert.ok(audit.split('\n').length > 40, audit.slice(0, 500));
    assert.ok(stdout.length + stderr.length > 100 * calls && metrics.includes('http'));
    assert.deepEqual(
      [...statuses.keys()].filter((status) => status >= 500 && status !== 503),
      [],
      JSON.stringify([...statuses]),
    );

    const places = { stdout, stderr, metrics, audit, errors: errors.join('\n'), ...files() };
    for (const [place, text] of Object.entries(places)) {
      for (const secret of secrets) {
        const at = text.indexOf(secret);
        assert.ok(at < 0, `${place} has a secret: ${text.slice(Math.max(0, at - 200), at + 20)}…`);
      }
    }
  });

  /** What lies on the disk of an embedded store; the installation's own secret is a file by design. */
  function files(): Record<string, string> {
    if (store !== 'sqlite') return {};
    const directory = temporary.env.KENNEL_DATA_DIR ?? '';
    const names = readdirSync(directory).filter((name) => statSync(join(directory, name)).isFile());
    assert.ok(names.length > 1);
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), 'latin1')]));
  }
});
