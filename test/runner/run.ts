// Runs the tests: `node --import tsx test/runner/run.ts [--store=sqlite|postgres] [part of a path…]`.
// Every test file runs with SQLite; those that use the store harness run once more with PostgreSQL.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { createMigratedDatabase } from './template.ts';
import { fileTimeoutMs } from './together.ts';

const stores = ['sqlite', 'postgres'] as const;
type Store = (typeof stores)[number];

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  complaints: string[];
}

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
const filesPerProcess = 20;
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
  process.exitCode = await runPasses();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = exitCodeOfFailure;
} finally {
  await postgresServer?.stop();
}

async function runPasses(): Promise<number> {
  const filesOf = await filesByStore();
  build();
  // First of all, so that a machine without a server is told at once.
  if (filesOf.get('postgres')?.length) {
    postgresServer = await startPostgres();
    await createMigratedDatabase(postgresServer.url, templateName);
  }
  const outcomes = new Map<Store, Outcome>();
  for (const [store, files] of filesOf) outcomes.set(store, await runPass(store, files));
  return summarize(outcomes);
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

async function runPass(store: Store, files: string[]): Promise<Outcome> {
  if (files.length === 0) return { passed: 0, failed: 0, skipped: 0, complaints: ['no test file to run'] };
  console.log(`\n=== ${store}: ${files.length} test files ===`);
  const scratch = await mkdtemp(join(tmpdir(), 'kennel-test-run-'));
  try {
    const tapFile = join(scratch, 'results.tap');
    stopOrder.signal.throwIfAborted();
    const failure = await runNodeTest(await writeGroups(files, scratch), tapFile, environmentFor(store));
    stopOrder.signal.throwIfAborted();
    return judge(await readFile(tapFile, 'utf8').catch(() => ''), files, failure);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Deals the files out to as many processes as needed; neighbours, often alike in length, part. */
async function writeGroups(files: string[], folder: string): Promise<string[]> {
  const count = Math.max(Math.ceil(files.length / filesPerProcess), Math.min(files.length, concurrency));
  const addressOf = (file: string) => pathToFileURL(join(root, file)).href;
  return Promise.all(
    Array.from({ length: count }, async (_, group) => {
      const chosen = files.filter((_, index) => index % count === group);
      const addresses = Object.fromEntries(chosen.map((file) => [file, addressOf(file)]));
      const path = join(folder, `group-${String(group + 1).padStart(2, '0')}.mjs`);
      await writeFile(
        path,
        `import { runTogether } from ${JSON.stringify(addressOf('test/runner/together.ts'))};\n` +
          `runTogether(${JSON.stringify(addresses, null, 2)});\n`,
      );
      return path;
    }),
  );
}

/** Tests must not depend on, or harm, whatever the surrounding shell is configured for. */
function environmentFor(store: Store): NodeJS.ProcessEnv {
  const foreign =
    /^(KENNEL_|PG|TEST_STORE$|TEST_DATABASE_(URL|TEMPLATE)$|TEST_PROGRAM$|DATABASE_URL$|NODE_TEST_CONTEXT$)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const server =
    store === 'postgres' && postgresServer
      ? { TEST_DATABASE_URL: postgresServer.url, TEST_DATABASE_TEMPLATE: templateName }
      : {};
  return { ...Object.fromEntries(kept), TEST_STORE: store, TEST_PROGRAM: 'built', ...server };
}

/** Resolves to how the run failed, or to undefined when it succeeded. */
function runNodeTest(groups: string[], tapFile: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
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
      env,
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

function judge(tap: string, files: string[], failure: string | undefined): Outcome {
  const count = (name: string) => {
    // What tests print also appears as comments, so only the last one is node's own summary.
    const counts = [...tap.matchAll(new RegExp(`^# ${name} (\\d+)$`, 'gm'))];
    return Number(counts.at(-1)?.[1] ?? 0);
  };
  const outcome: Outcome = {
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped') + count('todo'),
    complaints: [],
  };
  const testsOf = testCounts(tap);
  const without = (count: 0 | undefined) => files.filter((file) => testsOf.get(file) === count).join(', ');
  if (without(0)) outcome.complaints.push(`no tests in ${without(0)}`);
  if (without(undefined)) outcome.complaints.push(`not run to the end: ${without(undefined)}`);
  if (outcome.passed + outcome.failed === 0) outcome.complaints.push('no test ran');
  if (outcome.skipped > 0) outcome.complaints.push('skipped or todo tests are not allowed');
  if (failure) {
    outcome.complaints.push(failure);
    outcome.failed ||= 1;
  }
  return outcome;
}

/** How many tests and suites each file that ended has at its top. */
function testCounts(tap: string): Map<string, number> {
  const counts = new Map<string, number>();
  let found = 0;
  for (const [, indent, name = ''] of tap.matchAll(/^( {4})?(?:not )?ok \d+ - (.*)$/gm)) {
    if (indent) {
      found += 1;
    } else {
      counts.set(name, found);
      found = 0;
    }
  }
  return counts;
}

/** Prints the summary and returns the exit code. */
function summarize(outcomes: Map<Store, Outcome>): number {
  const describe = ({ passed, failed, skipped }: Omit<Outcome, 'complaints'>) =>
    `${passed} passed, ${failed} failed, ${skipped} skipped`;
  const total = { passed: 0, failed: 0, skipped: 0 };
  let isGood = true;
  console.log('\n=== summary ===');
  for (const [store, outcome] of outcomes) {
    total.passed += outcome.passed;
    total.failed += outcome.failed;
    total.skipped += outcome.skipped;
    if (outcome.failed > 0 || outcome.complaints.length > 0) isGood = false;
    console.log(`${store}: ${[describe(outcome), ...outcome.complaints].join('; ')}`);
  }
  console.log(describe(total));
  return isGood ? 0 : 1;
}
