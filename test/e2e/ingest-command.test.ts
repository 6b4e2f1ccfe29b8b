import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { progressText } from '../../src/cli/progress.ts';
import { caFile, caId, templateFile, templateId } from '../collectors/uploads.ts';
import { zip } from '../collectors/zip.ts';
import { sharedPassword } from '../server/builders.ts';
import { store, temporaryStore } from '../server/harness.ts';
import { type KennelProcess, runKennel, serveKennel, within } from '../server/processes.ts';

let directory: string;
let temporary: Awaited<ReturnType<typeof temporaryStore>>;
let env: Record<string, string>;
let server: KennelProcess | undefined;
let token: string;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kennel-files-'));
  temporary = await temporaryStore();
  env = { ...temporary.env, KENNEL_ADMIN_PASSWORD: sharedPassword };
});
after(async () => {
  await server?.end('SIGKILL');
  await temporary.remove();
  rmSync(directory, { recursive: true, force: true });
});

function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const ingest = (...args: string[]) => runKennel(['ingest', ...args], env);

async function call(method: string, path: string) {
  const answer = await fetch(`${server?.url}/api/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  return text === '' ? undefined : JSON.parse(text);
}

async function publishedTo(): Promise<string[]> {
  const { data = [] } = await call('GET', `certtemplates/${templateId}/published-to-cas?limit=100`);
  return data.map(({ name }: { name: string }) => name);
}

describe('kennel ingest', () => {
  it('ends with 3 where there is no store, and with 2 for a file that is not there', async () => {
    assert.equal((await ingest(join(directory, 'none.json'))).code, 2);
    assert.equal((await ingest(directory)).code, 2);
    if (store === 'sqlite') assert.equal((await ingest(file('a.json', templateFile()))).code, 3);
    assert.equal((await runKennel(['migrate'], env)).code, 0);
  });

  it('reads files without a server, tells what became of each, and ends with 0', async () => {
    const archive = file('all.zip', zip([{ name: 'templates.json', content: templateFile() }]));
    const { code, stdout, stderr } = await ingest('--json', file('cas.json', caFile([1, 2])), archive);
    assert.equal(code, 0, stderr);
    assert.equal(stdout.split('\n').length, 2);
    const result = JSON.parse(stdout);
    assert.deepEqual([result.status, result.total_files, result.failed_files], [2, 2, 0]);
    assert.deepEqual(
      result.files.map((one: Record<string, unknown>) => [one.file_name, one.parent_file_name, one.records]),
      [
        ['cas.json', '', 2],
        ['templates.json', 'all.zip', 1],
      ],
    );
    if (store === 'sqlite') assert.deepEqual(readdirSync(join(String(env.KENNEL_DATA_DIR), 'spool')), []);
  });

  it('ends with 6 when a file failed, and says why', async () => {
    const { code, stdout, stderr } = await ingest(
      file('bad.json', '{"data":['),
      file('ok.json', caFile([3])),
    );
    assert.equal(code, 6);
    assert.match(stdout, /^failed {4}bad\.json\n.*byte/);
    assert.match(stdout, /complete {2}ok\.json: 1 records/);
    assert.match(stderr, /1 of 2 files could not be read/);
  });

  it('works beside a server, which reads the files; --wait tells what became of them', async () => {
    server = await serveKennel(env);
    token = (await runKennel(['token'], env)).stdout.trim();
    const { code, stdout, stderr } = await ingest('--wait', '--json', file('beside.json', caFile([4])));
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).files[0].file_name, 'beside.json');
    const handed = await ingest('--json', file('later.json', caFile([5])));
    assert.equal(handed.code, 0, handed.stderr);
    const expected = [1, 2, 3, 4, 5].map((number) => `CA-${number}@EXAMPLE.LOCAL`);
    await within(20_000, 'the server does not read what it was handed', async () =>
      (await publishedTo()).length === expected.length ? true : undefined,
    );
    assert.deepEqual(await publishedTo(), expected);
  });

  it('uploads with --url and --token, in UTF-8 names too, and ends with 3 when that is refused', async () => {
    assert.ok(server);
    const access = ['--url', `${server.url}/`, '--token', token];
    const path = file('Prüfung 1.json', caFile([6]));
    const sent = await runKennel(['ingest', '--wait', '--json', ...access, path]);
    assert.equal(sent.code, 0, sent.stderr);
    const { upload_id: id, files } = JSON.parse(sent.stdout);
    assert.equal(files[0].file_name, 'Prüfung 1.json');
    assert.ok((await publishedTo()).includes('CA-6@EXAMPLE.LOCAL'));
    const failed = await runKennel(['ingest', '--wait', ...access, file('worse.json', '{"data":[')]);
    assert.equal(failed.code, 6);
    const refused = await runKennel(['ingest', ...access, file('list.json', '[]')]);
    assert.equal(refused.code, 3);
    assert.match(refused.stderr, /answered 400: .*begin with \{/);
    const [last] = (await call('GET', 'file-upload?limit=1')).data;
    assert.deepEqual([last.id > id, last.status], [true, 3]);
    const stranger = await runKennel(['ingest', '--url', server.url, '--token', 'x', path]);
    assert.deepEqual([stranger.code, /401/.test(stranger.stderr)], [3, true]);
    assert.equal((await runKennel(['ingest', '--url', server.url, path])).code, 2);
    assert.equal((await runKennel(['ingest', '--url', 'ftp://x', '--token', 'x', path])).code, 2);
  });
});

describe('a server that reads', () => {
  const many = (from: number) =>
    caFile(
      Array.from({ length: 20_000 }, (_, n) => from + n),
      300,
    );
  const state = async (id: number) => (await call('GET', `file-upload?id=eq:${id}`)).data[0].status;
  const isRead = (id: number) =>
    within(60_000, 'nothing is read', async () => {
      const { status } = await call('GET', 'datapipe/status').then(({ data }) => data);
      assert.notEqual(await state(id), 2, 'it was over before it could be stopped');
      return status === 'ingesting' ? true : undefined;
    });

  // On PostgreSQL the command reads by itself, and nobody could cancel it from outside in time.
  if (store === 'sqlite') {
    it('stops at a cancel in the middle of a file, of which nothing is left', async () => {
      const { stdout } = await ingest('--json', file('large.json', many(100_000)));
      const { upload_id: id } = JSON.parse(stdout);
      await isRead(id);
      await call('POST', `file-upload/${id}/cancel`);
      assert.equal(await state(id), 3);
      const after = JSON.parse((await ingest('--wait', '--json', file('next.json', caFile([7])))).stdout);
      assert.equal(after.status, 2);
      assert.deepEqual((await publishedTo()).length, 7);
      assert.deepEqual((await call('GET', `file-upload/${id}/completed-tasks`)).data, []);
    });
  }

  it('ends at once when it is told to, and the next one goes on', async () => {
    const access = ['--url', String(server?.url), '--token', token];
    const sent = await runKennel(['ingest', '--json', ...access, file('large.json', many(200_000))]);
    const { upload_id: id } = JSON.parse(sent.stdout);
    await isRead(id);
    const ended = await server?.end('SIGTERM');
    assert.deepEqual([ended?.code, ended?.signal], [0, null], ended?.stderr);
    server = await serveKennel(env);
    await within(60_000, 'the file is not read', async () => ((await state(id)) === 2 ? true : undefined));
    const [task] = (await call('GET', `file-upload/${id}/completed-tasks`)).data;
    assert.deepEqual([task.records, task.outcome], [20_000, 'complete']);
  });
});

describe('kennel ingest --wait beside a server that reads no files', () => {
  // On PostgreSQL the command has no store of its own to fall back on.
  if (store === 'postgres') return;

  it('notices that nobody does, says so and reads them by itself', async () => {
    await server?.end('SIGTERM');
    server = await serveKennel({ ...env, KENNEL_READ_FILES: 'off' });
    const handed = await ingest('--json', file('unread.json', caFile([8])));
    assert.equal(JSON.parse(handed.stdout).status, 6);
    const { code, stdout, stderr } = await ingest('--wait', '--json', file('read.json', caFile([9])));
    assert.equal(code, 0, stderr);
    assert.match(stderr, /the server reads no files \(KENNEL_READ_FILES\)/);
    assert.equal(JSON.parse(stdout).files[0].file_name, 'read.json');
    assert.ok('errors' in (await call('GET', `enterprisecas/${caId(8)}`)));
    assert.ok('data' in (await call('GET', `enterprisecas/${caId(9)}`)));
  });

  it('finishes a deletion that was begun before, when there is no server', async () => {
    const body = JSON.stringify({ confirm: 'delete', deleteCollectedGraphData: true });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `${server?.url}/api/v2/clear-database`;
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 202);
    await server?.end('SIGKILL');
    const { code, stderr } = await ingest('--json', file('after.json', caFile([10])));
    assert.equal(code, 0, stderr);
    server = await serveKennel({ ...env, KENNEL_READ_FILES: 'off' });
    assert.deepEqual(await publishedTo(), ['CA-10@EXAMPLE.LOCAL']);
  });
});

describe('the progress line', () => {
  it('tells bytes, records, rate and the time left', () => {
    const mebibyte = 1024 * 1024;
    const state = { name: 'a.json', bytes: 50 * mebibyte, total: 200 * mebibyte, records: 1234, seconds: 25 };
    assert.equal(
      progressText(state),
      'a.json [#####...............] 25 %, 50.0 MiB of 200.0 MiB, 1234 records, 2.0 MiB/s, 1 min 15 s left',
    );
    assert.equal(
      progressText({ ...state, bytes: 0, records: 0 }),
      'a.json [....................] 0 %, 0 B of 200.0 MiB, 0 B/s',
    );
  });
});
