import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeClient, makeJob } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus } from './states.ts';
import { domainResultCounts, findJob, listDomainResults } from './store.ts';

const shortSpelling = {
  users: 1,
  groups: 2,
  computers: 3,
  gpos: 4,
  ous: 5,
  containers: 6,
  aiacas: 7,
  rootcas: 8,
  enterprisecas: 9,
  ntauthstores: 10,
  certtemplates: 11,
  deleted: 12,
};

const counts = {
  user_count: 1,
  group_count: 2,
  computer_count: 3,
  gpo_count: 4,
  ou_count: 5,
  container_count: 6,
  aiaca_count: 7,
  rootca_count: 8,
  enterpriseca_count: 9,
  ntauthstore_count: 10,
  certtemplate_count: 11,
  deleted_count: 12,
};

const nothing = Object.fromEntries(domainResultCounts.map((count) => [count, 0]));

describe('POST /api/v2/jobs/end, domain_results (gap 3.6)', () => {
  let server: TestServer;

  const endWith = async (domainResults: unknown) => {
    const collector = await makeClient(server.deps);
    const id = await makeJob(server.deps, collector, jobStatus.running);
    const answer = await server.call('POST', '/api/v2/jobs/end', {
      token: collector.token,
      body: { status: 'COMPLETE', domain_results: domainResults },
    });
    return { id, ...answer };
  };
  /** The results in the answer, without what every record has. */
  const resultsOf = async (domainResults: unknown) => {
    const { status, body } = await endWith(domainResults);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.domain_results.map((result: Record<string, unknown>) => {
      const { id, job_id, created_at, updated_at, deleted_at, ...rest } = result;
      return rest;
    });
  };
  const assertRefused = async (domainResults: unknown, contexts: string[]) => {
    const { id, status, body } = await endWith(domainResults);
    const what = JSON.stringify(domainResults);
    assert.equal(status, 400, what);
    const named = body.errors.map(({ context }: { context: string }) => context);
    for (const context of contexts) assert.ok(named.includes(context), `${what}: ${named} lacks ${context}`);
    assert.equal((await findJob(server.deps.db, id))?.status, jobStatus.running, what);
    assert.equal((await listDomainResults(server.deps.db, id)).length, 0, what);
  };

  before(async () => {
    server = await startTestServer();
  });

  after(() => server.stop());

  it('answers 200 with exactly the members of a domain result', async () => {
    const { id, body } = await endWith({ 'CORP.EXAMPLE': counts });
    const [result] = body.data.domain_results;
    assert.ok(Number.isInteger(result.id) && result.id > 0);
    assert.deepEqual(body.data.domain_results, [
      {
        id: result.id,
        created_at: body.data.end_time,
        updated_at: body.data.end_time,
        deleted_at: { time: '0001-01-01T00:00:00Z', valid: false },
        job_id: id,
        domain_name: 'CORP.EXAMPLE',
        success: true,
        message: '',
        ...counts,
      },
    ]);
  });

  it('answers 200 to a map and to an array, with both spellings of a count', async () => {
    const expected = [{ domain_name: 'CORP.EXAMPLE', success: true, message: '', ...counts }];
    assert.deepEqual(await resultsOf({ 'CORP.EXAMPLE': counts }), expected);
    assert.deepEqual(await resultsOf({ 'CORP.EXAMPLE': shortSpelling }), expected);
    assert.deepEqual(await resultsOf([{ domain_name: 'CORP.EXAMPLE', ...counts }]), expected);
    assert.deepEqual(await resultsOf([{ domain_name: 'CORP.EXAMPLE', ...shortSpelling }]), expected);
  });

  it('answers 200 with several domains in the order given, and 0 for what was not counted', async () => {
    const first = { domain_name: 'B.EXAMPLE', success: false, message: 'no route', users: 0 };
    const second = { domain_name: 'A.EXAMPLE', user_count: 7_000_000_000 };
    const expected = [
      { ...nothing, domain_name: 'B.EXAMPLE', success: false, message: 'no route' },
      { ...nothing, domain_name: 'A.EXAMPLE', success: true, message: '', user_count: 7_000_000_000 },
    ];
    assert.deepEqual(await resultsOf([first, second]), expected);
    const { domain_name: _b, ...firstCounts } = first;
    const { domain_name: _a, ...secondCounts } = second;
    assert.deepEqual(await resultsOf({ 'B.EXAMPLE': firstCounts, 'A.EXAMPLE': secondCounts }), expected);
  });

  it('answers 200 and ignores members that it does not know', async () => {
    const odd = { users: 1, printers: -5, id: 'x', job_id: 3.5, created_at: null, nested: { users: -1 } };
    const expected = [{ ...nothing, domain_name: 'CORP.EXAMPLE', success: true, message: '', user_count: 1 }];
    assert.deepEqual(await resultsOf({ 'CORP.EXAMPLE': odd }), expected);
    assert.deepEqual(await resultsOf([{ domain_name: 'CORP.EXAMPLE', ...odd }]), expected);
  });

  it('answers 200 to a domain whose name a store could choke on', async () => {
    for (const name of ["'); drop table jobs; --", 'Röhre.🐕', 'constructor', 'x'.repeat(5000)]) {
      const [result] = await resultsOf({ [name]: { users: 1 } });
      assert.equal(result.domain_name, name);
      assert.equal(result.user_count, 1);
    }
  });

  it('answers 200 to no results at all', async () => {
    assert.deepEqual(await resultsOf({}), []);
    assert.deepEqual(await resultsOf([]), []);
  });

  it('answers 400 to a count that is not a whole number of at least 0, with its path', async () => {
    for (const value of [-1, 1.5, '3', true, null, [], {}, 2 ** 53]) {
      await assertRefused({ 'CORP.EXAMPLE': { users: value } }, ['domain_results.CORP.EXAMPLE.users']);
      await assertRefused({ A: { user_count: value } }, ['domain_results.A.user_count']);
      await assertRefused(
        [{ domain_name: 'A' }, { domain_name: 'B', deleted_count: value }],
        ['domain_results.1.deleted_count'],
      );
    }
  });

  it('answers 400 to every count in either spelling', async () => {
    for (const name of [...Object.keys(shortSpelling), ...Object.keys(counts)]) {
      await assertRefused({ A: { [name]: -1 } }, [`domain_results.A.${name}`]);
    }
  });

  it('answers 400 with one problem for each wrong member', async () => {
    const { status, body } = await endWith({
      A: { users: -1, groups: 0.5 },
      B: { success: 'yes', message: 5 },
    });
    assert.equal(status, 400);
    assert.deepEqual(body.errors, [
      {
        context: 'domain_results.A.users',
        message: 'domain_results.A.users must be a whole number of at least 0',
      },
      {
        context: 'domain_results.A.groups',
        message: 'domain_results.A.groups must be a whole number of at least 0',
      },
      { context: 'domain_results.B.success', message: 'domain_results.B.success must be a boolean' },
      { context: 'domain_results.B.message', message: 'domain_results.B.message must be a string' },
    ]);
  });

  it('answers 400 to a result without a domain name', async () => {
    await assertRefused([{ users: 1 }], ['domain_results.0.domain_name']);
    await assertRefused([{ domain_name: '' }], ['domain_results.0.domain_name']);
    await assertRefused([{ domain_name: 5 }], ['domain_results.0.domain_name']);
    await assertRefused({ '': { users: 1 } }, ['domain_results..domain_name']);
  });

  it('answers 400 to results of another shape', async () => {
    for (const value of ['all', 5, true]) await assertRefused(value, ['domain_results']);
    for (const value of [5, 'x', null, []]) {
      await assertRefused({ A: value }, ['domain_results.A']);
      await assertRefused([{ domain_name: 'A' }, value], ['domain_results.1']);
    }
  });
});
