import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';

const folder = mkdtempSync(join(tmpdir(), 'kennel-collectors-'));
const bytes = Buffer.from([0x50, 0x4b, 3, 4, 0, 255, 254, 128]);
const sum = createHash('sha256').update(bytes).digest('hex');
let server: TestServer;
let token: string;

before(async () => {
  for (const type of ['sharphound', 'azurehound']) mkdirSync(join(folder, type));
  const put = (name: string, content: string | Buffer = bytes) => writeFileSync(join(folder, name), content);
  put('sharphound/sharphound-v2.10.0.zip');
  put('sharphound/sharphound-v2.9.1.zip');
  put('sharphound/sharphound-v2.9.1.zip.sha256', `${sum.toUpperCase()}  sharphound-v2.9.1.zip\n`);
  put('sharphound/sharphound-v2.11.0-rc1.zip');
  put('sharphound/sharphound-v2.8.0.zip', 'damaged');
  put('sharphound/sharphound-v2.8.0.zip.sha256', sum);
  put('sharphound/notes.txt', 'no collector');
  put('sharphound/other-v1.0.0.zip');
  put('azurehound/azurehound-v2.3.0-linux-amd64.zip', 'linux');
  put('azurehound/azurehound-v2.3.0-windows-amd64.zip', 'windows');
  server = await startTestServer({ KENNEL_COLLECTORS_DIR: folder });
  ({ token } = await makeUser(server.deps, 'Read-Only'));
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const get = (path: string) => server.call('GET', path, { token });

describe('GET /api/v2/collectors/:collector_type', () => {
  it('answers 200 with versions in their order; the latest is no pre-release, and damaged files are left out', async () => {
    const { status, body } = await get('/api/v2/collectors/sharphound');
    assert.equal(status, 200);
    assert.equal(body.data.latest, 'v2.10.0');
    assert.deepEqual(body.data.versions, [
      { version: 'v2.11.0-rc1', sha256sum: sum, deprecated: true },
      { version: 'v2.10.0', sha256sum: sum, deprecated: false },
      { version: 'v2.9.1', sha256sum: sum, deprecated: true },
    ]);
  });

  it('answers 200 with nothing where there is no folder', async () => {
    const { status, body } = await get('/api/v2/collectors/openhound');
    assert.equal(status, 200);
    assert.deepEqual(body.data, { latest: '', versions: [] });
  });

  it('answers 400 to another kind of collector, and names those there are', async () => {
    const answer = await get('/api/v2/collectors/bloodhound');
    assertEnvelope(answer, 400);
    assert.match(answer.text, /sharphound/);
  });
});

describe('GET /api/v2/collectors/:collector_type/:release_tag', () => {
  it('answers 200 with the bytes of the file', async () => {
    for (const tag of ['latest', 'v2.10.0', '2.10.0']) {
      const response = await fetch(`${server.url}/api/v2/collectors/sharphound/${tag}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/zip');
      assert.match(response.headers.get('content-disposition') ?? '', /sharphound-v2\.10\.0\.zip/);
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes);
    }
  });

  it('answers 200 with the file of a system', async () => {
    const { status, text } = await get('/api/v2/collectors/azurehound/latest?os=windows');
    assert.equal(status, 200);
    assert.equal(text, 'windows');
  });

  it('answers 404 to what is no version', async () => {
    for (const tag of ['v2', 'v2.10.0%00', 'LATEST'])
      assert.equal((await get(`/api/v2/collectors/sharphound/${tag}`)).status, 404, tag);
  });

  it('answers 404 with words to a version that is not there, and to a damaged one', async () => {
    assertEnvelope(await get('/api/v2/collectors/sharphound/..%2Fnotes.txt'), 404);
    for (const tag of ['v9.9.9', 'v2.8.0']) {
      const answer = await get(`/api/v2/collectors/sharphound/${tag}`);
      assertEnvelope(answer, 404);
      assert.match(answer.text, /GET \/api\/v2\/collectors\/sharphound lists/);
    }
  });
});

describe('GET /api/v2/collectors/:collector_type/:release_tag/checksum', () => {
  it('answers 200 with a line that sha256sum can check', async () => {
    const { status, text } = await get('/api/v2/collectors/sharphound/latest/checksum');
    assert.equal(status, 200);
    assert.equal(text, `${sum}  sharphound-v2.10.0.zip\n`);
  });

  it('answers 404 to a version that is not there', async () => {
    assertEnvelope(await get('/api/v2/collectors/sharphound/v9.9.9/checksum'), 404);
  });
});

describe('GET /api/v2/kennel/manifest', () => {
  it('answers 200 with each version, its files and where they are', async () => {
    const { status, body } = await get('/api/v2/kennel/manifest');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body.data), ['sharphound', 'azurehound', 'openhound']);
    const [azure] = body.data.azurehound;
    assert.deepEqual(azure.version_meta, { major: 2, minor: 3, patch: 0, prerelease: '' });
    assert.deepEqual(
      azure.release_assets.map(({ os }: { os: string }) => os),
      ['linux', 'windows'],
    );
    for (const { download_url: url, os } of azure.release_assets) assert.equal((await get(url)).text, os);
  });

  it('answers 200 for the enterprise collectors too', async () => {
    const { status, body } = await get('/api/v2/kennel/enterprise-manifest');
    assert.equal(status, 200);
    assert.deepEqual(body.data, { sharphound_enterprise: [], azurehound_enterprise: [] });
  });
});
