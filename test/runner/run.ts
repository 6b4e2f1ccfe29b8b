// Runs the tests: `node --import tsx test/runner/run.ts [--store=sqlite|postgres] [part of a path…]`.
// Every test file runs with SQLite; those that use the store harness run once more with PostgreSQL.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { judge, print } from './results.ts';
import { createMigratedDatabase } from './template.ts';
import { fileTimeoutMs } from './together.ts';

const stores = ['sqlite', 'postgres'] as const;
type Store = (typeof stores)[number];

const templateName = 'kennel_template';
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const testFolders = ['src', 'test', 'bench'];
const ignoredFolders = ['node_modules', 'dist'];
/** What gives a test a store of its own, directly or not. */
const storeHarness = /\/(harness|graph-files)\.ts'/;
/** The demonstration has the embedded store and no other. */
const embeddedStoreOnly = ['src/demo/'];
const concurrency = 2;
/** More would save little of the loading, and leave one core idle for longer at the end. */
const filesPerProcess = 30;
const silenceAfterSummaryMs = 10_000;
const silenceBetweenResultsMs = fileTimeoutMs + 30_000;
const { storeOption, filters } = readArguments(process.argv.slice(2));

let postgresServer: PostgresServer | undefined;
let testProcess: ChildProcess | undefined;
let exitCodeOfFailure = 1;
const stopOrder = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    exitCodeOfFailure = 128 + constants.signals[signal];
    stopOrder.abort(new Error(`Stopped by ${signal}.`));
    killTestProcesses();
  });
}

try {
  process.exitCode = await runAll();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = exitCodeOfFailure;
} finally {
  await postgresServer?.stop();
}

async function runAll(): Promise<number> {
  const filesOf = await filesByStore();
  build();
  // First of all, so that a machine without a server is told at once.
  if (filesOf.get('postgres')?.length) {
    postgresServer = await startPostgres();
    await createMigratedDatabase(postgresServer.url, templateName);
  }
  const scratch = await mkdtemp(join(tmpdir(), 'kennel-test-run-'));
  try {
    const tapFile = join(scratch, 'results.tap');
    const groups = await writeGroups(filesOf, scratch);
    stopOrder.signal.throwIfAborted();
    // Without a file to run, node would look for some itself.
    const failure = groups.length === 0 ? undefined : await runNodeTest(groups, tapFile);
    stopOrder.signal.throwIfAborted();
    const names = [...filesOf].flatMap(([store, files]) => files.map((file) => nameOf(file, store)));
    return print(judge(await readFile(tapFile, 'utf8').catch(() => ''), names, failure));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Tests that start the program take it as users get it: compiled. */
function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.js'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('The program does not compile.');
}

async function filesByStore(): Promise<Map<Store, string[]>> {
  const files = await testFiles();
  const filesOf = new Map<Store, string[]>();
  if (storeOption !== 'postgres') filesOf.set('sqlite', files);
  if (storeOption !== 'sqlite') {
    const chosen = await filesUsingHarness(files);
    // A filter may well pick only files that have nothing to do with the store.
    const mayBeEmpty = filters.length > 0 && !storeOption;
    if (chosen.length > 0 || !mayBeEmpty) filesOf.set('postgres', chosen);
  }
  return filesOf;
}

function readArguments(given: string[]): { storeOption: Store | undefined; filters: string[] } {
  let storeOption: Store | undefined;
  const filters: string[] = [];
  for (const argument of given) {
    if (!argument.startsWith('-')) {
      filters.push(argument);
      continue;
    }
    storeOption = stores.find((store) => argument === `--store=${store}`);
    if (!storeOption) {
      console.error(`Unknown option ${argument}. Use --store=sqlite or --store=postgres.`);
      process.exit(2);
    }
  }
  return { storeOption, filters };
}

/** Listed one by one because Node 20 finds no TypeScript tests when it is given a folder. */
async function testFiles(): Promise<string[]> {
  const found = (await Promise.all(testFolders.map(testFilesUnder))).flat().sort();
  const chosen = filters.length
    ? found.filter((file) => filters.some((filter) => file.includes(filter)))
    : found;
  if (chosen.length === 0) {
    throw new Error(`No test file ${filters.length ? `matches ${filters.join(' or ')}` : 'was found'}.`);
  }
  return chosen;
}

async function testFilesUnder(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!ignoredFolders.includes(entry.name)) files.push(...(await testFilesUnder(path)));
    } else if (entry.name.endsWith('.test.ts')) {
      files.push(path);
    }
  }
  return files;
}

async function filesUsingHarness(files: string[]): Promise<string[]> {
  const uses = await Promise.all(
    files.map(
      async (file) =>
        !embeddedStoreOnly.some((folder) => file.startsWith(folder)) &&
        storeHarness.test(await readFile(join(root, file), 'utf8')),
    ),
  );
  return files.filter((_, index) => uses[index]);
}

function nameOf(file: string, store: Store): string {
  return `${file} (${store})`;
}

/**
 * Deals the files out to as many processes as needed; neighbours, often alike in length, part. All stores are one
 * run, so that the cores wait for each other only once.
 */
async function writeGroups(
  filesOf: ReadonlyMap<Store, readonly string[]>,
  folder: string,
): Promise<string[]> {
  const groups = [...filesOf].flatMap(([store, files]) => {
    const count = Math.max(Math.ceil(files.length / filesPerProcess), Math.min(files.length, concurrency));
    console.log(`=== ${store}: ${files.length} test files in ${count} processes ===`);
    return Array.from({ length: count }, (_, group) => ({
      store,
      files: files.filter((_, index) => index % count === group),
    }));
  });
  const addressOf = (file: string) => pathToFileURL(join(root, file)).href;
  return Promise.all(
    groups.map(async ({ store, files }, index) => {
      const addresses = Object.fromEntries(files.map((file) => [nameOf(file, store), addressOf(file)]));
      const path = join(folder, `group-${String(index + 1).padStart(2, '0')}.mjs`);
      await writeFile(
        path,
        `import { runTogether } from ${JSON.stringify(addressOf('test/runner/together.ts'))};\n` +
          `Object.assign(process.env, ${JSON.stringify(storeEnvironment(store))});\n` +
          `runTogether(${JSON.stringify(addresses, null, 2)});\n`,
      );
      return path;
    }),
  );
}

function storeEnvironment(store: Store): NodeJS.ProcessEnv {
  const server =
    store === 'postgres' && postgresServer
      ? { TEST_DATABASE_URL: postgresServer.url, TEST_DATABASE_TEMPLATE: templateName }
      : {};
  return { TEST_STORE: store, ...server };
}

/** Tests must not depend on, or harm, whatever the surrounding shell is configured for. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign =
    /^(KENNEL_|PG|TEST_STORE$|TEST_DATABASE_(URL|TEMPLATE)$|TEST_PROGRAM$|DATABASE_URL$|NODE_TEST_CONTEXT$)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(kept), TEST_PROGRAM: 'built' };
}

/** Resolves to how the run failed, or to undefined when it succeeded. */
function runNodeTest(groups: string[], tapFile: string): Promise<string | undefined> {
  const reporters = [
    ['spec', 'stdout'],
    ['tap', tapFile],
  ].flatMap(([name, to]) => [`--test-reporter=${name}`, `--test-reporter-destination=${to}`]);
  // Some versions of Node apply the limit to a whole process; each file has its own.
  const limits = [`--test-concurrency=${concurrency}`, `--test-timeout=${fileTimeoutMs * filesPerProcess}`];
  return new Promise((resolve, reject) => {
    // Detached: a process group of its own, so that a stop reaches the test files' processes too.
    testProcess = spawn(process.execPath, ['--import', 'tsx', '--test', ...limits, ...reporters, ...groups], {
      cwd: root,
      env: ownEnvironment(),
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const watch = killWhenSilent(tapFile);
    testProcess.once('error', reject);
    testProcess.once('close', (code, signal) => {
      testProcess = undefined;
      watch.end();
      if (watch.hasKilled()) resolve('a test, or a process it left behind, kept the run from ending');
      else resolve(code === 0 ? undefined : signal ? `ended by ${signal}` : `exit code ${code}`);
    });
  });
}

/** A process that a failed test leaves behind holds node's pipes open, and node would wait for ever. */
function killWhenSilent(tapFile: string): { end(): void; hasKilled(): boolean } {
  let lastTap = '';
  let changedAt = Date.now();
  let hasKilled = false;
  const timer = setInterval(async () => {
    const tap = await readFile(tapFile, 'utf8').catch(() => '');
    if (tap !== lastTap) changedAt = Date.now();
    lastTap = tap;
    const hasSummary = /^# duration_ms [\d.]+\s*$/m.test(tap.slice(-100));
    const limit = hasSummary ? silenceAfterSummaryMs : silenceBetweenResultsMs;
    if (Date.now() - changedAt > limit && !hasKilled) {
      hasKilled = true;
      killTestProcesses();
    }
  }, 1_000);
  return { end: () => clearInterval(timer), hasKilled: () => hasKilled };
}

function killTestProcesses(): void {
  if (testProcess?.pid !== undefined) process.kill(-testProcess.pid, 'SIGKILL');
}
