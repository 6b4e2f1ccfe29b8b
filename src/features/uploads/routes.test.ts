import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { spooled } from '../../../test/collectors/ingest.ts';
import {
  caFile,
  publishedTo,
  readAll,
  sendFile,
  startUpload,
  tasksOf,
  templateFile,
  upload,
  uploadOf,
} from '../../../test/collectors/uploads.ts';
import { zip } from '../../../test/collectors/zip.ts';
import { auditRows, type MadeUser, makeClient, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope, serveVariant } from '../../../test/server/pipeline.ts';
import { jobStatus } from '../jobs/index.ts';

let server: TestServer;
let admin: MadeUser;
let uploader: MadeUser;
let other: MadeUser;

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps, 'Administrator', { emailAddress: 'Ada@example.org' });
  uploader = await makeUser(server.deps, 'Upload-Only');
  other = await makeUser(server.deps, 'Upload-Only');
});
after(() => server.stop());

const post = (path: string, token = admin.token) =>
  server.call('POST', `/api/v2/file-upload/${path}`, { token });
const messageOf = async (answer: Promise<Awaited<ReturnType<typeof post>>>, status: number) =>
  assertEnvelope(await answer, status)[0]?.message ?? '';

describe('POST /api/v2/file-upload/start', () => {
  it('answers 201 with a running upload of the caller, and writes it down', async () => {
    const answer = await post('start');
    assert.equal(answer.status, 201, answer.text);
    const { data } = answer.body;
    assert.equal(data.status, jobStatus.running);
    assert.equal(data.status_message, 'Running');
    assert.equal(data.user_id, admin.id);
    assert.deepEqual(data.user_email_address, 'Ada@example.org');
    assert.equal(data.end_time, '0001-01-01T00:00:00Z');
    assert.deepEqual([data.total_files, data.failed_files], [0, 0]);
    const [record] = await auditRows(server.deps);
    assert.deepEqual([record?.action, record?.fields], ['StartUpload', { upload_id: data.id }]);
  });

  it('answers 403 to a collector, and to who may not upload', async () => {
    const collector = await makeClient(server.deps);
    assert.match(await messageOf(post('start', collector.token), 403), /api\/v2\/ingest/);
    const reader = await makeUser(server.deps, 'Read-Only');
    assert.equal((await post('start', reader.token)).status, 403);
  });

  it('answers 201 in the community edition too', async () => {
    const settings = { ...server.deps.settings, edition: 'community' as const };
    const community = await serveVariant(server.deps, { settings });
    const answer = await fetch(`${community.url}/api/v2/file-upload/start`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}` },
    });
    assert.equal(answer.status, 201);
    await community.stop();
  });
});

describe('POST /api/v2/file-upload/:file_upload_job_id', () => {
  it('answers 202 without a body to every accepted type, and keeps a name and a count', async () => {
    const id = await startUpload(server, uploader.token);
    const archive = zip([{ name: 'a.json', content: templateFile() }]);
    const sent = [
      { body: templateFile(), type: 'application/json; charset=utf-8', name: 'Zertifikate ä.json' },
      { body: archive, type: 'application/zip' },
      { body: archive, type: 'Application/X-Zip-Compressed' },
      { body: archive, type: 'application/zip-compressed' },
      { body: gzipSync(templateFile()), type: 'application/json', encoding: 'gzip' },
      { body: gzipSync(archive), type: 'application/zip', encoding: 'gzip' },
    ];
    for (const { name, ...file } of sent) {
      const encoded = name && Buffer.from(name, 'utf8').toString('latin1');
      const answer = await sendFile(server, uploader.token, id, {
        ...file,
        ...(encoded === undefined ? {} : { name: encoded }),
      });
      assert.equal(answer.status, 202, answer.text);
      assert.equal(answer.text, '');
    }
    assert.equal((await uploadOf(server, admin.token, id)).total_files, sent.length);
    const files = await server.deps.db.query<{ name: string; encoding: string; state: string }>(
      'select name, encoding, state from ingest_files where upload_id = $1 order by id',
      [id],
    );
    assert.deepEqual(
      files.map(({ name }) => name),
      ['Zertifikate ä.json', 'file 2.zip', 'file 3.zip', 'file 4.zip', 'file 5.json', 'file 6.zip'],
    );
    assert.deepEqual(
      files.map(({ encoding }) => encoding),
      ['identity', 'identity', 'identity', 'identity', 'gzip', 'identity'],
    );
    assert.ok(files.every(({ state }) => state === 'arrived'));
    const added = (await auditRows(server.deps)).filter(({ action }) => action === 'AddFileToUpload');
    assert.deepEqual(
      added.slice(0, sent.length).map(({ fields }) => [fields.name, fields.upload_id]),
      files.map(({ name }) => [name, id]).reverse(),
    );
    assert.equal((await post(`${id}/end`, uploader.token)).status, 200);
    await readAll(server.deps);
    assert.equal((await uploadOf(server, admin.token, id)).status, jobStatus.complete);
  });

  it('answers 400 to what it is not, and keeps nothing', async () => {
    const id = await startUpload(server, admin.token);
    const before = await spooled(server.deps);
    const send = (body: string | Uint8Array, type: string, encoding = 'identity') =>
      messageOf(sendFile(server, admin.token, id, { body, type, encoding }), 400);
    assert.match(await send('{}', 'text/plain'), /application\/zip-compressed/);
    assert.match(await send('[]', 'application/json'), /begin with \{/);
    assert.match(await send('{}', 'application/zip'), /not a zip archive/);
    assert.match(await send('PK', 'application/zip'), /not a zip archive/);
    assert.match(await send(zip([]), 'application/json'), /begin with \{/);
    assert.match(await send(gzipSync('{}').subarray(0, 12), 'application/json', 'gzip'), /not valid gzip/);
    const named = sendFile(server, admin.token, id, { body: '{}', name: 'x'.repeat(256) });
    assert.match(await messageOf(named, 400), /255 characters/);
    assert.deepEqual(await spooled(server.deps), before);
    assert.equal((await uploadOf(server, admin.token, id)).total_files, 0);
  });

  it('answers 400 when the upload has ended, 404 when there is none', async () => {
    const id = await upload(server, admin.token, []);
    const late = sendFile(server, admin.token, id, { body: '{}' });
    assert.equal(await messageOf(late, 400), 'job must be in running status to attach files');
    const nowhere = sendFile(server, admin.token, 987_654, { body: '{}' });
    assert.match(await messageOf(nowhere, 404), /upload 987654 does not exist/);
  });

  it("answers 403 to somebody else's upload, unless they may change the graph", async () => {
    const id = await startUpload(server, uploader.token);
    const refused = sendFile(server, other.token, id, { body: templateFile() });
    assert.match(await messageOf(refused, 403), /graphdb\.Write/);
    for (const action of ['end', 'cancel', 'retry'])
      assert.equal((await post(`${id}/${action}`, other.token)).status, 403);
    assert.equal((await sendFile(server, admin.token, id, { body: templateFile() })).status, 202);
  });

  it('answers 413 when the spool is full or the file too large, and names the setting', async () => {
    const small = await startTestServer({ KENNEL_SPOOL_QUOTA_MB: '1', KENNEL_UPLOAD_MAX_MB: '2' });
    const { token } = await makeUser(small.deps);
    const id = await startUpload(small, token);
    const full = sendFile(small, token, id, { body: '{'.padEnd(1024 * 1024 + 1) });
    assert.match(await messageOf(full, 413), /KENNEL_SPOOL_QUOTA_MB/);
    const large = sendFile(small, token, id, { body: '{'.padEnd(2 * 1024 * 1024 + 1) });
    assert.match(await messageOf(large, 413), /KENNEL_UPLOAD_MAX_MB/);
    assert.deepEqual(await spooled(small.deps), []);
    await small.stop();
  });

  it('answers 415 to an unknown encoding', async () => {
    const id = await startUpload(server, admin.token);
    assert.equal((await sendFile(server, admin.token, id, { body: '{}', encoding: 'br' })).status, 415);
  });
});

describe('POST /api/v2/file-upload/:file_upload_job_id/end', () => {
  it('answers 200 without a body; what was sent is then read, and published-to-cas answers from it', async () => {
    const files = [
      { body: caFile([1, 2]), name: 'cas.json' },
      { body: zip([{ name: 'in/templates.json', content: templateFile() }]), name: 'all.zip' },
    ];
    const id = await upload(server, uploader.token, files);
    assert.equal((await uploadOf(server, admin.token, id)).status, jobStatus.ingesting);
    assert.deepEqual(await tasksOf(server, admin.token, id), []);
    await readAll(server.deps);
    const done = await uploadOf(server, admin.token, id);
    assert.deepEqual([done.status, done.status_message], [jobStatus.complete, 'Complete']);
    assert.deepEqual([done.total_files, done.failed_files, done.partial_failed_files], [2, 0, 0]);
    assert.notEqual(done.end_time, '0001-01-01T00:00:00Z');
    assert.deepEqual(await publishedTo(server, admin.token), ['CA-1@EXAMPLE.LOCAL', 'CA-2@EXAMPLE.LOCAL']);
    const tasks = await tasksOf(server, admin.token, id);
    assert.deepEqual(
      tasks.map((task: Record<string, unknown>) => [task.file_name, task.parent_file_name, task.records]),
      [
        ['cas.json', '', 2],
        ['in/templates.json', 'all.zip', 1],
      ],
    );
    assert.ok(tasks[0].edges >= 2 && tasks[0].errors.length === 0);
    const actions = (await auditRows(server.deps)).slice(0, 4).map(({ action }) => action);
    assert.deepEqual(actions, ['FinishUpload', 'AnalyzeUpload', 'EndUpload', 'AddFileToUpload']);
  });

  it('answers 200 without files: the upload is complete', async () => {
    const id = await upload(server, admin.token, []);
    const { status, status_message } = await uploadOf(server, admin.token, id);
    assert.deepEqual([status, status_message], [jobStatus.complete, 'Complete: no file was uploaded']);
  });

  it('answers 400 the second time, 404 when there is none', async () => {
    const id = await upload(server, admin.token, []);
    assert.equal(await messageOf(post(`${id}/end`), 400), 'job must be in running status to end');
    assert.equal((await post('987654/end')).status, 404);
  });
});

describe('POST /api/v2/file-upload/:file_upload_job_id/cancel', () => {
  it('answers 200 to a running and an ingesting upload: nothing of it is read, the bytes go', async () => {
    const before = await spooled(server.deps);
    const running = await startUpload(server, uploader.token);
    await sendFile(server, uploader.token, running, { body: caFile([70]) });
    const ingesting = await upload(server, uploader.token, [{ body: caFile([71]) }]);
    for (const id of [running, ingesting]) {
      assert.equal((await post(`${id}/cancel`, uploader.token)).status, 200);
      const { status, status_message } = await uploadOf(server, admin.token, id);
      assert.deepEqual([status, status_message], [jobStatus.canceled, `Canceled by ${uploader.name}`]);
    }
    assert.equal((await auditRows(server.deps))[0]?.action, 'CancelUpload');
    await readAll(server.deps);
    assert.ok(!(await publishedTo(server, admin.token)).some((name) => name.startsWith('CA-7')));
    assert.deepEqual(await spooled(server.deps), before);
    const records = (await auditRows(server.deps)).length;
    assert.equal((await post(`${running}/cancel`)).status, 200);
    assert.equal((await auditRows(server.deps)).length, records);
  });

  it('answers 404 when there is none, 409 when it is over', async () => {
    assert.equal((await post('987654/cancel')).status, 404);
    const id = await upload(server, admin.token, []);
    assert.match(await messageOf(post(`${id}/cancel`), 409), /is complete/);
  });
});
