import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { countingReads, serveVariant, type Variant } from '../../../test/server/pipeline.ts';

let server: TestServer;
let counted: Variant;
let asked: () => number;

before(async () => {
  server = await startTestServer();
  const counting = countingReads(server.deps);
  asked = counting.asked;
  counted = await serveVariant(counting.deps, {});
});

after(async () => {
  await counted.stop();
  await server.stop();
});

describe('GET /health/live', () => {
  it('answers 200 without asking the store anything, whatever its headers say', async () => {
    const before = asked();
    const headers = {
      'x-forwarded-for': '10.0.0.1, 10.0.0.2',
      prefer: 'wait=5',
      authorization: 'Bearer none',
    };
    assert.equal((await counted.call('GET', '/health/live', { headers })).status, 200);
    assert.equal((await counted.call('GET', '/health/live', { headers: { prefer: 'wait=-1' } })).status, 400);
    assert.equal(asked(), before);
  });
});
