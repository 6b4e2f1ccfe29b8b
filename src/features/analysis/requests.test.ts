import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { serverItself } from '../../caller.ts';
import { askFor, findOpenRequest, requestAnalysis } from './requests.ts';

describe('a request for an analysis', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('is not seen before one with a lower number, whose cause the run would miss', async () => {
    const { db } = server.deps;
    const nothing = { answered: 0, givenUp: 0 };
    const [lower, higher] = await db.transaction(async (own) => {
      const lower = await askFor(own, serverItself, 'zones', server.now());
      const later = requestAnalysis(server.deps, db, serverItself);
      await Promise.race([later, sleep(500)]);
      assert.equal(await findOpenRequest(db, nothing), undefined);
      return [lower, later] as const;
    });
    const newest = await higher;
    assert.ok(newest > lower);
    assert.equal(await findOpenRequest(db, nothing), newest);
  });
});
