import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { findOpenClear } from './store.ts';

let server: TestServer;
let token: string;

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
});
after(() => server.stop());

const clear = (body: object) => server.call('POST', '/api/v2/clear-database', { token, body });

describe('POST /api/v2/clear-database with the body of deployed clients', () => {
  it('answers 400 to what it can not delete as asked, and deletes nothing', async () => {
    for (const [member, value] of [
      ['deleteAssetGroupSelectors', [1]],
      ['deleteRelationships', ['HasSession']],
      ['deleteSourceKinds', [0]],
    ] as const) {
      const { status, body } = await clear({ deleteFileIngestHistory: true, [member]: value });
      assert.deepEqual([status, body.errors[0].context], [400, member]);
    }
    assert.equal(await findOpenClear(server.deps.graph), undefined);
  });

  it('answers 204 without the word, and with numbers of kinds', async () => {
    const answer = await clear({
      deleteAssetGroupSelectors: [],
      deleteCollectedGraphData: false,
      deleteDataQualityHistory: false,
      deleteFileIngestHistory: false,
      deleteSourceKinds: [2],
      deleteRelationships: [],
    });
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.deepEqual((await findOpenClear(server.deps.graph))?.wish.sourceKinds, ['AZBase']);
  });
});
