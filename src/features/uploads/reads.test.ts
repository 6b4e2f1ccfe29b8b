import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { spooled } from '../../../test/collectors/ingest.ts';
import {
  caFile,
  publishedTo,
  readAll,
  sendFile,
  startUpload,
  uploadOf,
} from '../../../test/collectors/uploads.ts';
import { auditRows, type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus } from '../jobs/index.ts';
import { timeOutUploads } from './follow.ts';

const minute = 60_000;
let server: TestServer;
let admin: MadeUser;
let uploader: MadeUser;

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps, 'Administrator', { emailAddress: 'Ada@example.org' });
  uploader = await makeUser(server.deps, 'Upload-Only');
  for (const { token } of [uploader, admin, uploader, admin, uploader]) {
    const id = await startUpload(server, token);
    if (id % 2 === 0) await server.call('POST', `/api/v2/file-upload/${id}/cancel`, { token });
  }
});
after(() => server.stop());

describe('GET /api/v2/file-upload', () => {
  it('answers 200 with a page, newest first, filtered and sorted', async () => {
    const list = async (query: string) =>
      (await server.call('GET', `/api/v2/file-upload?${query}`, { token: uploader.token })).body;
    const all = await list('');
    assert.equal(all.limit, 100);
    assert.equal(all.skip, 0);
    assert.equal(all.count, all.data.length);
    const ids = all.data.map(({ id }: { id: number }) => id);
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => b - a),
    );
    const mine = await list(`user_id=eq:${uploader.id}&limit=2&sort_by=id`);
    assert.equal(mine.data.length, 2);
    assert.ok(mine.count > 2 && mine.count < all.count);
    assert.equal((await list('user_email_address=~eq:ada@')).data[0].user_id, admin.id);
    assert.equal((await list('status=eq:3')).count, 2);
  });

  it('answers 400 to a column that is not there, 403 without graphdb.IngestRead', async () => {
    const { token } = await makeUser(server.deps, 'User');
    assert.equal(
      (await server.call('GET', '/api/v2/file-upload?x=eq:1', { token: admin.token })).status,
      400,
    );
    assert.equal((await server.call('GET', '/api/v2/file-upload', { token })).status, 403);
  });
});

describe('GET /api/v2/file-upload/accepted-types and completed-tasks', () => {
  it('answers 200 with the four types', async () => {
    const { body } = await server.call('GET', '/api/v2/file-upload/accepted-types', { token: admin.token });
    assert.equal(body.data.length, 4);
    assert.equal(body.data[0], 'application/json');
  });

  it('answers 404 to the tasks of no upload', async () => {
    const path = '/api/v2/file-upload/987654/completed-tasks';
    assert.equal((await server.call('GET', path, { token: admin.token })).status, 404);
  });
});

describe('an upload that nobody goes on with', () => {
  it('times out after 20 minutes without a file, and leaves nothing', async () => {
    const id = await startUpload(server, admin.token);
    server.advance(19 * minute);
    await sendFile(server, admin.token, id, { body: caFile([80]) });
    server.advance(19 * minute);
    await timeOutUploads(server.deps);
    assert.equal((await uploadOf(server, admin.token, id)).status, jobStatus.running);
    server.advance(2 * minute);
    await timeOutUploads(server.deps);
    const { status, status_message } = await uploadOf(server, admin.token, id);
    assert.equal(status, jobStatus.timedOut);
    assert.equal(
      status_message,
      'Ingest timeout: No ingest activity observed in 20 minutes. Upload incomplete.',
    );
    assert.equal(
      (await auditRows(server.deps)).filter(({ action }) => action === 'TimeOutUpload').length > 0,
      true,
    );
    assert.deepEqual(await spooled(server.deps), []);
    await readAll(server.deps);
    assert.ok(!(await publishedTo(server, admin.token)).includes('CA-80@EXAMPLE.LOCAL'));
  });
});
