import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { spooled } from '../../../test/collectors/ingest.ts';
import {
  caFile,
  caId,
  publishedTo,
  readAll,
  sendFile,
  tasksOf,
  upload,
  uploadOf,
} from '../../../test/collectors/uploads.ts';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { clearTask } from '../data-pipe/index.ts';
import { jobStatus } from '../jobs/index.ts';
import { claimFile, leaseMs, listFiles } from '../spool/index.ts';
import { finishFile } from './finish.ts';
import { readNext } from './loop.ts';
import type { Outcome } from './read-file.ts';
import { type FileReader, OwnReader } from './reader.ts';

let server: TestServer;
let token: string;

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
});
after(() => server.stop());

describe('a reader', () => {
  /** Does what it is told, at the place of one that dies or is slow. */
  class Scripted implements FileReader {
    outcomes: Outcome[];
    constructor(...outcomes: Outcome[]) {
      this.outcomes = outcomes;
    }
    async open() {
      return false;
    }
    async read(): Promise<Outcome> {
      return this.outcomes.shift() ?? { kind: 'broken', reason: 'SIGSEGV' };
    }
    stop() {}
    async close() {}
  }

  it('that dies of a file twice has it failed with that reason', async () => {
    const id = await upload(server, token, [{ body: caFile([31]), name: 'deadly.json' }]);
    const reader = new Scripted();
    assert.equal(await readNext(server.deps, reader, 'a'), true);
    assert.equal((await listFiles(server.deps.db, { uploadId: id }))[0]?.state, 'waiting');
    assert.equal(await readNext(server.deps, reader, 'a'), true);
    assert.equal(await readNext(server.deps, reader, 'a'), false);
    const { status, status_message } = await uploadOf(server, token, id);
    assert.equal(status, jobStatus.failed);
    assert.match(status_message, /deadly\.json: reading it broke off 2 times, at last with: SIGSEGV/);
  });

  it('that is stopped, or has no store, leaves the file to the next one', async () => {
    const id = await upload(server, token, [{ body: caFile([32]) }]);
    const reader = new Scripted(
      { kind: 'stopped', results: [] },
      { kind: 'stopped', results: [] },
      { kind: 'unavailable', reason: 'busy' },
    );
    for (let turn = 0; turn < 2; turn += 1) await readNext(server.deps, reader, 'a');
    await assert.rejects(readNext(server.deps, reader, 'a'), { code: 'unavailable' });
    await readAll(server.deps);
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.complete);
  });

  it('that is not heard of loses its file, and can say nothing about it any more', async () => {
    const { db, clock } = server.deps;
    const id = await upload(server, token, [{ body: caFile([33]) }]);
    const claimed = await claimFile(db, 'gone', clock());
    assert.equal(claimed?.upload_id, id);
    assert.equal(await claimFile(db, 'other', clock()), undefined);
    server.advance(leaseMs + 1000);
    assert.equal((await claimFile(db, 'other', clock()))?.id, claimed?.id);
    assert.ok(claimed);
    await finishFile(server.deps, claimed, 'gone', { kind: 'read', results: [] });
    assert.deepEqual(await tasksOf(server, token, id), []);
    server.advance(leaseMs + 1000);
    await readAll(server.deps);
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.complete);
  });

  it('stops at a canceled upload, of which nothing is left', async () => {
    const before = await spooled(server.deps);
    const id = await upload(server, token, [{ body: caFile([34]) }, { body: caFile([35]) }]);
    const reader = new OwnReader(server.deps);
    const slow: FileReader = {
      open: () => reader.open(),
      read: async (file, onProgress) => {
        const path = `/api/v2/file-upload/${id}/cancel`;
        assert.equal((await server.call('POST', path, { token })).status, 200);
        const reading = reader.read(file, onProgress);
        reader.stop();
        return reading;
      },
      stop: () => reader.stop(),
      close: () => reader.close(),
    };
    assert.equal(await readNext(server.deps, slow, 'a'), true);
    assert.equal(await readNext(server.deps, slow, 'a'), false);
    await reader.close();
    const cas = await publishedTo(server, token);
    assert.ok(!cas.some((name) => /CA-3[45]@/.test(name)));
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.canceled);
    const states = (await listFiles(server.deps.db, { uploadId: id })).map(({ state }) => state);
    assert.deepEqual(states, ['canceled', 'canceled']);
    assert.deepEqual(await spooled(server.deps), before);
  });

  it('applies a file once, whatever happens between the graph and the store of its results', async () => {
    const id = await upload(server, token, [{ body: caFile([36]) }]);
    const reader = new OwnReader(server.deps);
    let results: Outcome | undefined;
    const forgetful: FileReader = {
      open: () => reader.open(),
      read: async (file, onProgress) => {
        results = await reader.read(file, onProgress);
        return { kind: 'stopped', results: [] };
      },
      stop: () => {},
      close: () => reader.close(),
    };
    await readNext(server.deps, forgetful, 'a');
    await reader.close();
    await readAll(server.deps);
    const [task] = await tasksOf(server, token, id);
    assert.equal(results?.kind, 'read');
    assert.equal(task.nodes, results?.kind === 'read' ? results.results[0]?.nodes : -1);
    assert.ok(task.nodes > 0);
    const rows = await server.deps.graph.query('select id from nodes where object_id = $1', [caId(36)]);
    assert.equal(rows.length, 1);
  });
});

describe('while a deletion is under way', () => {
  it('no file is taken; it is read when the deletion is over, and stays', async () => {
    const id = await upload(server, token, [{ body: caFile([37]) }]);
    const body = { confirm: 'delete', deleteCollectedGraphData: true };
    assert.equal((await server.call('POST', '/api/v2/clear-database', { token, body })).status, 202);
    assert.equal(await readAll(server.deps), 0);
    assert.equal((await listFiles(server.deps.db, { uploadId: id }))[0]?.state, 'waiting');
    await clearTask.run(server.deps);
    assert.equal(await readAll(server.deps), 1);
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.complete);
    assert.deepEqual(await publishedTo(server, token), ['CA-37@EXAMPLE.LOCAL']);
  });
});

describe('sendFile', () => {
  it('is refused once the upload is canceled', async () => {
    const started = await server.call('POST', '/api/v2/file-upload/start', { token });
    const { id } = started.body.data;
    await server.call('POST', `/api/v2/file-upload/${id}/cancel`, { token });
    assert.equal((await sendFile(server, token, id, { body: '{}' })).status, 400);
  });
});
