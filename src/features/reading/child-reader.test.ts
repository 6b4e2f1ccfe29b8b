import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { caFile, publishedTo, readAll, upload, uploadOf } from '../../../test/collectors/uploads.ts';
import { analyseNow } from '../../../test/graph/analysis.ts';
import { makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus } from '../jobs/index.ts';
import { ChildReader } from './child-reader.ts';
import { readNext } from './loop.ts';

let server: TestServer;
let token: string;
let directory: string;

before(async () => {
  server = await startTestServer({ KENNEL_READ_STALL_SECONDS: '2' });
  token = (await makeUser(server.deps)).token;
  directory = mkdtempSync(join(tmpdir(), 'kennel-reader-'));
});
after(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** A program in the place of the reading process, which does this with a file. */
function reading(work: string): ChildReader {
  const program = join(directory, `${Math.random()}.mjs`);
  const code = `const tell = (message) => process.send(message);
process.on('disconnect', () => process.exit(0));
process.on('message', ({ type, file }) => {
  if (type === 'open') tell({ type: 'ready' });
  if (type === 'read') { ${work} }
});`;
  writeFileSync(program, code);
  return new ChildReader(server.deps, program);
}

describe('a reading process', () => {
  it('that neither goes on nor ends is ended, and its file fails when that happens again', async () => {
    const id = await upload(server, token, [{ body: caFile([1]), name: 'endless.json' }]);
    const reader = reading("tell({ type: 'progress', bytes: 1, records: 0 });");
    assert.equal(await readNext(server.deps, reader, 'a'), true);
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.ingesting);
    assert.equal(await readNext(server.deps, reader, 'a'), true);
    assert.equal(await readNext(server.deps, reader, 'a'), false);
    await reader.close();
    const { status, status_message } = await uploadOf(server, token, id);
    assert.equal(status, jobStatus.failed);
    assert.match(
      status_message,
      /endless\.json: reading it broke off 2 times, at last with: no progress for 2 seconds \(KENNEL_READ_STALL_SECONDS\)/,
    );
  });

  it('that is busy with itself alone is ended too, and the next one reads the file', async () => {
    const id = await upload(server, token, [{ body: caFile([2]) }]);
    const reader = reading('for (;;);');
    assert.equal(await readNext(server.deps, reader, 'a'), true);
    await reader.close();
    await readAll(server.deps);
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.complete);
    assert.deepEqual(await publishedTo(server, token), ['CA-2@EXAMPLE.LOCAL']);
  });

  it('that goes on slowly is left in peace', async () => {
    const id = await upload(server, token, [{ body: caFile([3]) }]);
    const result = `{ name: file.name, outcome: 'complete', records: 7, nodes: 0, edges: 0, withdrawn: 0,
      skipped: {}, warnings: [], errors: [] }`;
    const reader = reading(`let steps = 0;
      const timer = setInterval(() => {
        steps += 1;
        if (steps < 30) return tell({ type: 'progress', bytes: steps, records: 0 });
        clearInterval(timer);
        tell({ type: 'read', results: [${result}] });
      }, 100);`);
    assert.equal(await readNext(server.deps, reader, 'a'), true);
    await reader.close();
    await analyseNow(server.deps);
    assert.equal((await uploadOf(server, token, id)).status, jobStatus.complete);
  });
});
