import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeClient, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { dataTypes, insertRun } from './index.ts';

const range = 'start=2026-01-01T00:00:00Z&end=2026-02-01T00:00:00Z';
const manyIds = Array.from({ length: 1000 }, (_, index) => `S-1-5-21-1004336348-1177238915-${index}`);

describe('GET /api/v2/posture-history/:data_type', () => {
  let server: TestServer;
  let reader: MadeUser;

  const get = (type: string, query: string, headers: Record<string, string> = {}) =>
    server.call('GET', `/api/v2/posture-history/${type}?${query}`, { token: reader.token, headers });
  const findingsOf = async (environments: readonly string[]) => {
    const query = environments.map((id) => `environments=${encodeURIComponent(id)}`).join('&');
    const { status, body } = await get('findings', `${query}&${range}`);
    assert.equal(status, 200, JSON.stringify(body).slice(0, 500));
    return body;
  };

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
    const at = Date.UTC(2026, 0, 5, 2, 10);
    const findings = { 'S-1-5-21-1': 3, 'S-1-5-21-2': 40, 'a,b': 500, Größe: 6000 };
    const points = [...Object.entries(findings), ...manyIds.map((id): [string, number] => [id, 1])];
    await server.deps.graph.transaction((graph) =>
      insertRun(
        graph,
        { startedAt: at - 1000, finishedAt: at },
        points.map(([environmentId, numerator]) => ({
          dataType: 'findings',
          tagId: 1,
          environmentId,
          numerator,
          denominator: 0,
        })),
      ),
    );
  });

  after(() => server.stop());

  it('answers 200 with exactly the members of a history, not wrapped in data', async () => {
    const { status, body } = await get('findings', `environments=S-1-5-21-1&${range}`);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      start: '2026-01-01T00:00:00Z',
      end: '2026-02-01T00:00:00Z',
      environments: ['S-1-5-21-1'],
      data_type: 'findings',
      data: [{ date: '2026-01-05T02:10:00Z', value: 3 }],
    });
  });

  it('answers 200 to each of the six types', async () => {
    for (const type of dataTypes) {
      const { status, body } = await get(type, `environments=NOTHING&${range}`);
      assert.equal(status, 200, type);
      assert.equal(body.data_type, type);
    }
    assert.equal(dataTypes.length, 6);
  });

  it('answers 200 with several environments added up, each id once', async () => {
    const ids = ['S-1-5-21-1', 'S-1-5-21-2', 'S-1-5-21-1', 's-1-5-21-2'];
    const body = await findingsOf(ids);
    assert.equal(body.data[0].value, 43);
    assert.deepEqual(body.environments, ids);
  });

  it('answers 200 and finds ids without regard to case, told back as they were sent', async () => {
    const body = await findingsOf(['s-1-5-21-1', 'gröSSe']);
    assert.equal(body.data[0].value, 6003);
    assert.deepEqual(body.environments, ['s-1-5-21-1', 'gröSSe']);
  });

  it('answers 200 and takes a comma as part of an id', async () => {
    assert.equal((await findingsOf(['A,B'])).data[0].value, 500);
    assert.deepEqual((await findingsOf(['S-1-5-21-1,S-1-5-21-2'])).data, []);
    const raw = await get('findings', `environments=a,b&${range}`);
    assert.deepEqual(raw.body.environments, ['a,b']);
    assert.equal(raw.body.data[0].value, 500);
  });

  it('answers 200 and counts unknown ids with nothing', async () => {
    assert.deepEqual((await findingsOf(['NOTHING'])).data, []);
    assert.equal((await findingsOf(['NOTHING', 'S-1-5-21-1', '', "'--", '\u{1f415}'])).data[0].value, 3);
  });

  it('answers 200 to 1,000 environments in one long address', async () => {
    const body = await findingsOf(manyIds);
    assert.deepEqual(body.environments, manyIds);
    assert.deepEqual(body.data, [{ date: '2026-01-05T02:10:00Z', value: 1000 }]);
  });

  it('answers 200 and ignores query parameters that it does not know', async () => {
    const query = `environments=S-1-5-21-1&environment=S-1-5-21-2&tag=9&${range}`;
    assert.equal((await get('findings', query)).body.data[0].value, 3);
  });

  it('answers 200 to the tags 0 and 1, with leading zeros too', async () => {
    for (const tag of ['0', '1', '01', '-0']) {
      const query = `environments=S-1-5-21-1&asset_group_tag_id=${tag}&${range}`;
      assert.equal((await get('findings', query)).status, 200, tag);
    }
  });

  it('answers 200 with an ETag only when start and end are both given, and 304 to it', async () => {
    const query = `environments=S-1-5-21-1&${range}`;
    const etag = (await get('findings', query)).headers.get('etag') ?? '';
    assert.match(etag, /^W\/".+"$/);
    assert.equal((await get('findings', query, { 'if-none-match': etag })).status, 304);
    for (const part of ['', 'start=2026-01-01T00:00:00Z', 'end=2999-01-01T00:00:00Z']) {
      const answer = await get('findings', `environments=S-1-5-21-1&${part}`, { 'if-none-match': '*' });
      assert.equal(answer.status, 200, part);
      assert.equal(answer.headers.get('etag'), null, part);
    }
  });

  it('answers 200 to HEAD without a body', async () => {
    const path = `/api/v2/posture-history/findings?environments=S-1-5-21-1&${range}`;
    const { status, text, headers } = await server.call('HEAD', path, { token: reader.token });
    assert.equal(status, 200);
    assert.equal(text, '');
    assert.match(headers.get('etag') ?? '', /^W\/".+"$/);
  });

  it('answers 400 to a type that it does not know, listing the six', async () => {
    for (const type of ['archived-findings', 'Findings', 'attack_paths', 'constructor']) {
      const { status, body } = await get(type, `environments=S-1-5-21-1&${range}`);
      assert.equal(status, 400, type);
      assert.deepEqual(body.errors, [
        {
          context: 'data_type',
          message: `data_type must be one of findings, exposure, assets, session-completeness, group-completeness, attack-paths, but is "${type}"`,
        },
      ]);
    }
  });

  it('answers 400 without environments', async () => {
    for (const query of [range, `${range}&Environments=S-1-5-21-1`, `${range}&environments[]=S-1-5-21-1`]) {
      const { status, body } = await get('findings', query);
      assert.equal(status, 400, query);
      assert.deepEqual(body.errors, [
        { context: 'environments', message: 'missing required query parameter: environments' },
      ]);
    }
  });

  it('answers 400 to 1,001 environments, even if they repeat', async () => {
    for (const last of ['ONE-MORE', manyIds[0]]) {
      const query = [...manyIds, last].map((id) => `environments=${id}`).join('&');
      const { status, body } = await get('findings', `${query}&${range}`);
      assert.equal(status, 400, last);
      assert.deepEqual(body.errors, [
        { context: 'environments', message: 'environments takes 1 to 1000 values, 1001 are given' },
      ]);
    }
  });

  it('answers 400 to a tag that is not a whole number of 32 bits', async () => {
    for (const tag of ['x', '1.0', '1e0', '0x1', '', '%20', '%2B1', '2147483648', '-2147483649']) {
      const query = `environments=S-1-5-21-1&asset_group_tag_id=${tag}&${range}`;
      const { status, body } = await get('findings', query);
      assert.equal(status, 400, tag);
      assert.equal(body.errors[0].context, 'asset_group_tag_id', tag);
    }
  });

  it('answers 400 to a repeated parameter that takes one value, and to all problems at once', async () => {
    const query = `${range}&start=2026-01-01T00:00:00Z&asset_group_tag_id=1&asset_group_tag_id=1`;
    const { status, body } = await get('risks', query);
    assert.equal(status, 400);
    assert.deepEqual(
      body.errors.map(({ context }: { context: string }) => context),
      ['data_type', 'environments', 'start', 'asset_group_tag_id'],
    );
  });

  it('answers 401 without a token', async () => {
    const path = `/api/v2/posture-history/findings?environments=S-1-5-21-1`;
    assert.equal((await server.call('GET', path)).status, 401);
  });

  it('answers 403 without the permission graphdb.Read', async () => {
    const callers = [await makeUser(server.deps, 'Upload-Only'), await makeClient(server.deps)];
    for (const { name, token } of callers) {
      for (const type of ['findings', 'risks']) {
        const path = `/api/v2/posture-history/${type}?environments=S-1-5-21-1`;
        const { status, body } = await server.call('GET', path, { token });
        assert.equal(status, 403, name);
        assert.equal(body.errors[0].message, 'this needs the permission graphdb.Read');
      }
    }
  });

  it('answers 404 for a tag that does not exist, whatever the type', async () => {
    for (const type of dataTypes) {
      for (const tag of ['9', '-1', '2147483647']) {
        const query = `environments=S-1-5-21-1&asset_group_tag_id=${tag}&${range}`;
        const { status, body } = await get(type, query);
        assert.equal(status, 404, `${type} ${tag}`);
        assert.deepEqual(body.errors, [
          { context: 'asset_group_tag_id', message: `asset group tag ${tag} does not exist` },
        ]);
      }
    }
  });
});

describe('GET /api/v2/posture-history/:data_type in the community edition', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ KENNEL_EDITION: 'community' });
  });

  after(() => server.stop());

  it('answers 404 to everybody who is signed in, and 401 to others', async () => {
    for (const path of ['/api/v2/posture-history/findings?environments=A', '/api/v2/posture-history/risks']) {
      assert.equal((await server.call('GET', path)).status, 401);
      for (const role of ['Administrator', 'Upload-Only'] as const) {
        const { token } = await makeUser(server.deps, role);
        const { status, body } = await server.call('GET', path, { token });
        assert.equal(status, 404, role);
        assert.equal(body.errors[0].message, 'this operation is available in the enterprise edition only');
      }
    }
  });
});
