import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { call } from '../server/call.ts';
import { type KennelProcess, runKennel, serveKennel, within } from '../server/processes.ts';

interface Demo {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  readonly client_token: string;
  readonly curl: { operation: string; command: string }[];
  readonly more: { operation: string; command: string }[];
}

/** Does what the printed line would do in a shell, on a machine that may have no curl. */
function paste(command: string) {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  assert.equal(words.shift(), 'curl');
  const headers: Record<string, string> = {};
  let method = 'GET';
  let body: string | undefined;
  let url = new URL('http://unset');
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const value = () => words.shift() ?? assert.fail(`${word} has no value`);
    if (word === '-sS') continue;
    if (word === '-X') method = value();
    else if (word === '-d') body = value();
    else if (word === '-H') {
      const [name = '', text = ''] = value().split(': ');
      headers[name] = text;
    } else url = new URL(word);
  }
  return call(url.origin, method, url.pathname + url.search, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

describe('kennel demo', () => {
  const parent = mkdtempSync(join(tmpdir(), 'kennel-test-'));
  const env = {
    KENNEL_DATA_DIR: join(parent, 'data'),
    KENNEL_PORT: '0',
    DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/never',
  };
  let server: KennelProcess;
  let demo: Demo;
  const get = (path: string, token = demo.token) => call(demo.url, 'GET', path, { token });

  before(async () => {
    server = await serveKennel(env, [], 'demo');
    demo = server.ready as unknown as Demo;
  });

  after(async () => {
    await server.end();
    rmSync(parent, { recursive: true });
  });

  it('prints everything that is needed as one JSON line', async () => {
    assert.deepEqual(Object.keys(demo), [
      'url',
      'username',
      'password',
      'token',
      'client_token',
      'curl',
      'more',
    ]);
    assert.equal(demo.curl.length, 8);
    const { username, password: secret } = demo;
    const login = await call(demo.url, 'POST', '/api/v2/login', {
      body: { login_method: 'secret', username, secret },
    });
    assert.equal(login.status, 200);
    assert.equal((await get('/api/v2/self')).body.data.principal_name, username);
    assert.equal((await get('/api/v2/self', demo.client_token)).body.data.type, 'sharphound');
  });

  it('prints a line for each of the eight operations that works again and again, in any order', async () => {
    for (const round of [0, 1, 2]) {
      for (const { operation, command } of round === 1 ? [...demo.curl].reverse() : demo.curl) {
        const { status, body } = await paste(command);
        const isSecondDelete = operation === 'Delete a SAML provider' && round > 0;
        assert.equal(status, isSecondDelete ? 404 : 200, `${operation} in round ${round}`);
        const content = body.data ?? body;
        if (!isSecondDelete) assert.notDeepEqual(Object.values(content)[0] ?? [], [], operation);
      }
    }
  });

  it('always has one running job, which the printed line ends', async () => {
    const end = demo.curl.find(({ operation }) => operation.includes('job ending'))?.command ?? '';
    const ended = new Set<number>();
    await within(20_000, 'no other job was started', async () => {
      const { status, body } = await paste(end);
      assert.equal(status, 200);
      ended.add(body.data.id);
      return ended.size > 2 ? true : undefined;
    });
  });

  it('has what the description promises', async () => {
    assert.equal(
      (await get('/api/v2/saml')).body.data.saml_providers.length,
      2,
      'three, less the deleted one',
    );
    for (const kind of ['BackupVault', 'BadgeReader', 'BuildAgent', 'JumpHost']) {
      assert.equal((await get(`/api/v2/custom-nodes/${kind}`)).status, 200, kind);
    }
    const history = demo.curl.find(({ operation }) => operation.includes('posture'))?.command ?? '';
    const environments = [...history.matchAll(/environments=([^&']+)/g)].map(([, id]) => id);
    const start = new Date(Date.now() - 90 * 86_400_000).toISOString();
    for (const type of [
      'findings',
      'exposure',
      'assets',
      'session-completeness',
      'group-completeness',
      'attack-paths',
    ]) {
      const { body } = await get(
        `/api/v2/posture-history/${type}?environments=${environments[0]}&start=${start}`,
      );
      assert.ok(body.data.length > 30, `${type} has ${body.data.length} days`);
      assert.ok(
        new Set(body.data.map(({ value }: { value: number }) => value)).size > 2,
        `${type} never moves`,
      );
    }
  });

  it('has findings since different days, some of them gone, and a zone that changed', async () => {
    const answers = [];
    for (const { operation, command } of demo.more) {
      const { status, body } = await paste(command);
      assert.equal(status, 200, operation);
      answers.push(body.data);
    }
    const [present, gone, diff] = answers;
    assert.ok(present.findings.length > 2);
    assert.ok(gone.findings.length > 5);
    const dates = [...present.findings, ...gone.findings].map(({ first_seen }) => first_seen.slice(0, 10));
    assert.ok(new Set(dates).size > 5, String(dates));
    assert.ok(diff.zone.entered.count > 0 && diff.zone.left.count > 0);
    assert.ok(diff.findings.gone.count > 0);
  });

  it('analyses: jobs that wait for it are complete soon', async () => {
    await within(60_000, 'no analysis took place', async () => {
      const { body } = await get('/api/v2/jobs?limit=1000');
      const waiting = body.data.filter(({ status }: { status: number }) => status === 6 || status === 7);
      return waiting.length === 0 ? true : undefined;
    });
  });

  it('prints posture from its store', async () => {
    const { code, stdout } = await runKennel(['posture', '--days', '90', '--json'], {
      ...env,
      DATABASE_URL: '',
      KENNEL_DATA_DIR: join(env.KENNEL_DATA_DIR, 'demo'),
    });
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).environments.length, 3);
  });

  it('refuses while another demonstration uses its directory', async () => {
    const { code, stdout, stderr } = await runKennel(['demo', '--json'], env);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /another demonstration is running in .*demo: stop it first/);
    assert.equal((await get('/health/ready')).status, 200);
  });

  it('leaves a directory alone that it did not make', async () => {
    const dataDir = join(parent, 'precious');
    const file = join(dataDir, 'demo', 'kennel.db');
    mkdirSync(join(dataDir, 'demo'), { recursive: true });
    writeFileSync(file, 'precious');
    const { code, stderr } = await runKennel(['demo', '--json'], { ...env, KENNEL_DATA_DIR: dataDir });
    assert.equal(code, 3);
    assert.match(stderr, /was not made by the demonstration/);
    assert.ok(existsSync(file));
  });

  it('starts afresh, and ends with 0 when it is told to', async () => {
    assert.equal((await server.end()).code, 0);
    assert.ok(!existsSync(join(env.KENNEL_DATA_DIR, 'kennel.db')), 'nothing beside its own directory');
    server = await serveKennel(env, [], 'demo');
    demo = server.ready as unknown as Demo;
    assert.equal((await get('/api/v2/saml')).body.data.saml_providers.length, 3);
  });
});
