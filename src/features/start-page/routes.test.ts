import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

describe('GET /', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  const setDocsPage = async (enabled: boolean) => {
    const { token } = await makeUser(server.deps);
    const flags = await server.call('GET', '/api/v2/features', { token });
    const { id, enabled: is } = flags.body.data.find(({ key }: { key: string }) => key === 'api_docs_page');
    if (is !== enabled) await server.call('PUT', `/api/v2/features/${id}/toggle`, { token });
  };

  it('answers 200 to everybody with places that are there', async () => {
    await setDocsPage(true);
    const { status, body } = await server.call('GET', '/');
    assert.equal(status, 200);
    const { about, sign_in, ...places } = body.data;
    assert.match(about, /^Kennel, a management server/);
    assert.deepEqual(Object.keys(places), ['api_page', 'api_document', 'ready']);
    for (const path of Object.values(places)) assert.equal((await fetch(server.url + path)).status, 200);
    assert.equal((await fetch(server.url + sign_in, { method: 'POST' })).status, 400);
  });

  it('answers 200 with a page to a browser, under the policy that allows nothing', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const answer = await fetch(`${server.url}/`, { headers: { accept } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    const page = await answer.text();
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    assert.deepEqual(links, ['/api/docs', '/api/v2/openapi.json', '/health/ready']);
    assert.doesNotMatch(page, /<script|<style|style=/);
  });

  it('leaves the API page out where it is switched off', async () => {
    await setDocsPage(false);
    const { body } = await server.call('GET', '/');
    assert.equal('api_page' in body.data, false);
    const page = await (await fetch(`${server.url}/`, { headers: { accept: 'text/html' } })).text();
    assert.doesNotMatch(page, /api\/docs/);
  });
});
