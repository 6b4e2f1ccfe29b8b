import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  addEdge,
  analyseAgain,
  domain,
  idOf,
  insertEstate,
  removeEdge,
} from '../../../test/graph/attack-paths.ts';
import { auditRows, makeClient, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';

const url = '/api/v2/attack-paths/findings';
const hour = 3_600_000;
const day = 24 * hour;
let server: TestServer;
let admin: { token: string; name: string };
/** HELP GenericAll ADMINS. */
let id: number;

const list = async (query = '') =>
  (await server.call('GET', `${url}?${query}`, { token: admin.token })).body.data.findings;
const findingId = async (): Promise<number> => (await list('type=T0GenericAll'))[0]?.id;
const accept = (body: unknown, finding = id, token = admin.token) =>
  server.call('PUT', `${url}/${finding}/acceptance`, { token, body });
const takeBack = (finding = id, token = admin.token) =>
  server.call('DELETE', `${url}/${finding}/acceptance`, { token });
const stateOf = async (finding = id) =>
  (await server.call('GET', `${url}/${finding}`, { token: admin.token })).body.data.state;
const at = (ms: number) => new Date(ms).toISOString();
const records = async () =>
  (await auditRows(server.deps)).filter(({ action }) => action === 'AcceptRisk' || /^Revoke/.test(action));

beforeEach(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
  await insertEstate(server);
  await analyseAgain(server, admin.token);
  id = await findingId();
});
afterEach(() => server.stop());

describe('PUT /api/v2/attack-paths/findings/:finding_id/acceptance', () => {
  it('answers 200, marks the finding, and records it with before and after', async () => {
    const until = Math.floor(server.now() / 1000) * 1000 + 30 * day;
    const { status, body } = await accept({ until: at(until), reason: '  Known.  ' });
    assert.equal(status, 200);
    const { accepted_at: acceptedAt, ...acceptance } = body.data.acceptance;
    const shownUntil = at(until).replace('.000Z', 'Z');
    assert.deepEqual(acceptance, { until: shownUntil, reason: 'Known.', accepted_by: admin.name });
    assert.deepEqual([body.data.state, body.data.source_name], ['accepted', 'HELP']);
    const [shown] = await list('state=accepted');
    assert.deepEqual(shown, body.data);
    assert.equal((await list('')).length, 4);
    assert.equal((await list('state=active')).length, 3);
    const [record] = await records();
    assert.deepEqual([record?.action, record?.actor_name], ['AcceptRisk', admin.name]);
    assert.deepEqual(record?.fields, {
      finding_id: id,
      type: 'T0GenericAll',
      environment_id: domain,
      asset_group_tag_id: 1,
      source_id: idOf(1101),
      target_id: idOf(512),
      before: null,
      after: { ...acceptance, accepted_at: acceptedAt },
    });
  });

  it('answers 200 again, with what was accepted before in the record', async () => {
    await accept({ until: null, reason: 'First' });
    const { body } = await accept({ until: null, reason: 'Second' });
    assert.deepEqual([body.data.acceptance.reason, body.data.acceptance.until], ['Second', null]);
    const [record] = await records();
    const [before, after] = [record?.fields.before, record?.fields.after] as (
      | { reason: string }
      | undefined
    )[];
    assert.deepEqual([before?.reason, after?.reason], ['First', 'Second']);
    assert.equal((await list('state=accepted')).length, 1);
  });

  it('ends by itself, and not before', async () => {
    await accept({ until: at(server.now() + hour), reason: 'For an hour' });
    server.advance(hour - 60_000);
    assert.equal(await stateOf(), 'accepted');
    server.advance(60_001);
    assert.equal(await stateOf(), 'active');
    const [finding] = await list('type=T0GenericAll');
    assert.deepEqual([finding.state, finding.acceptance], ['active', null]);
    assert.equal((await takeBack()).status, 404);
    assert.equal((await accept({ until: null, reason: 'Again' })).status, 200);
  });

  it('still counts: the next analysis finds and measures it, and it stays accepted', async () => {
    await accept({ until: null, reason: 'Known' });
    await addEdge(server, 1003, 'MemberOf', 1101);
    await analyseAgain(server, admin.token);
    const [finding] = await list('type=T0GenericAll');
    assert.deepEqual([finding.id, finding.state, finding.exposure_count], [id, 'accepted', 2]);
    const query = `environments=${domain}&asset_group_tag_id=1`;
    const history = await server.call('GET', `/api/v2/posture-history/findings?${query}`, {
      token: admin.token,
    });
    assert.equal(history.body.data.at(-1).value, 2);
  });

  it('belongs to the finding, not to its spell: it is accepted when it comes back', async () => {
    await accept({ until: null, reason: 'Known' });
    await removeEdge(server, 1101, 'GenericAll', 512);
    await analyseAgain(server, admin.token);
    assert.equal(await stateOf(), 'remediated');
    const gone = assertEnvelope(await accept({ until: null, reason: 'Late' }), 409);
    assert.equal(gone[0]?.message, `finding ${id} is gone: there is nothing to accept`);
    assertEnvelope(await takeBack(), 409);
    await addEdge(server, 1101, 'GenericAll', 512);
    await analyseAgain(server, admin.token);
    const again = await findingId();
    assert.notEqual(again, id);
    assert.deepEqual([await stateOf(again), await stateOf()], ['accepted', 'remediated']);
  });

  it('answers 400 and changes nothing when until or reason are not right', async () => {
    const soon = at(server.now() + day);
    const wrong: [body: unknown, context: string][] = [
      [{ until: at(server.now() - 1000), reason: 'x' }, 'until'],
      [{ until: '2027-01-01', reason: 'x' }, 'until'],
      [{ until: '', reason: 'x' }, 'until'],
      [{ until: 7, reason: 'x' }, 'until'],
      [{ reason: 'x' }, 'until'],
      [{ until: soon, reason: ' \n ' }, 'reason'],
      [{ until: soon, reason: 'x'.repeat(1001) }, 'reason'],
      [{ until: soon }, 'reason'],
      [{ until: soon, reason: 'x', by: 'me' }, 'by'],
    ];
    for (const [body, context] of wrong) {
      const [problem] = assertEnvelope(await accept(body), 400);
      assert.equal(problem?.context, context, JSON.stringify(body));
    }
    assert.equal((await list('state=accepted')).length, 0);
    assert.deepEqual(await records(), []);
    assert.equal((await accept({ until: soon, reason: 'x'.repeat(1000) })).status, 200);
  });

  it('answers 404 to what is not there, and 403 to who may not manage risks', async () => {
    assertEnvelope(await accept({ until: null, reason: 'x' }, 987654), 404);
    for (const role of ['User', 'Read-Only', 'Auditor', 'Upload-Only'] as const) {
      const { token } = await makeUser(server.deps, role);
      const [problem] = assertEnvelope(await accept({ until: null, reason: 'x' }, id, token), 403);
      assert.equal(problem?.message, 'this needs the permission risks.ManageRisks');
      assertEnvelope(await takeBack(id, token), 403);
    }
    const collector = await makeClient(server.deps);
    assertEnvelope(await accept({ until: null, reason: 'x' }, id, collector.token), 403);
    const power = await makeUser(server.deps, 'Power User');
    assert.equal((await accept({ until: null, reason: 'x' }, id, power.token)).status, 200);
  });
});

describe('DELETE /api/v2/attack-paths/findings/:finding_id/acceptance', () => {
  it('answers 200, the finding is active again, and it is recorded', async () => {
    await accept({ until: null, reason: 'Known' });
    const { status, text } = await takeBack();
    assert.deepEqual([status, text], [200, '']);
    assert.equal(await stateOf(), 'active');
    const [record] = await records();
    assert.equal(record?.action, 'RevokeRiskAcceptance');
    const before = record?.fields.before as { reason: string } | undefined;
    assert.deepEqual([before?.reason, record?.fields.after, record?.fields.finding_id], ['Known', null, id]);
  });

  it('answers 404 when it is not accepted, or not there', async () => {
    const [problem] = assertEnvelope(await takeBack(), 404);
    assert.equal(problem?.message, `the risk of finding ${id} is not accepted`);
    assertEnvelope(await takeBack(987654), 404);
    assert.deepEqual(await records(), []);
  });
});
