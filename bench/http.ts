import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDeps, prepareStores } from '../src/bootstrap.ts';
import { issueUserToken } from '../src/cli/token.ts';
import { readSettings } from '../src/config.ts';
import type { Reader, Value } from '../src/db/client.ts';
import { openStores } from '../src/db/open.ts';
import type { Deps } from '../src/deps.ts';
import { ensureAdministrator } from '../src/features/users/index.ts';
import { createLog } from '../src/log.ts';
import { createDatabase, startPostgres } from '../test/runner/postgres-server.ts';
import { fillBench, large, type Size, small } from './estate.ts';
import { measure } from './load.ts';
import { type BenchOperation, operations } from './operations.ts';
import { type Served, serveBare, serveKennel } from './processes.ts';
import { type Cell, printTable, progress } from './report.ts';

interface Options {
  readonly seconds: number;
  readonly connections: readonly number[];
  readonly stores: readonly string[];
  readonly sizes: readonly Size[];
  readonly only: string;
}

/** Every operation on both stores at two sizes, beside bare servers, in one run. */
export async function benchHttp(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  const cells: Cell[] = [];
  for (const store of options.stores) {
    const postgres = store === 'postgres' ? await startPostgres() : undefined;
    const dirs: string[] = [];
    try {
      const instances: Instance[] = [];
      for (const size of options.sizes) {
        const dataDir = mkdtempSync(join(tmpdir(), 'kennel-bench-'));
        dirs.push(dataDir);
        const env: Record<string, string> = { KENNEL_DATA_DIR: dataDir };
        if (postgres !== undefined) env.DATABASE_URL = await newDatabase(postgres.url, `bench_${size.name}`);
        instances.push(await prepare(store, size, env));
      }
      for (const operation of operations.filter(({ name }) => name.includes(options.only))) {
        for (const connections of options.connections) {
          // Small and large right after each other: the machine's mood is the same for both.
          for (const instance of instances)
            cells.push(await measureCell(instance, operation, connections, options.seconds));
        }
      }
      for (const instance of instances) await instance.stop();
    } finally {
      await postgres?.stop();
      for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
    }
  }
  printTable(cells);
}

interface Instance {
  readonly store: string;
  readonly size: Size;
  readonly env: Record<string, string>;
  readonly deps: Deps;
  readonly token: string;
  readonly kennel: Served;
  stop(): Promise<void>;
}

async function prepare(store: string, size: Size, env: Record<string, string>): Promise<Instance> {
  progress(
    `${store}: filling the ${size.name} store (${size.nodes} nodes, ${size.nodes * size.edgesPerNode} edges)`,
  );
  const settings = readSettings({ ...env, KENNEL_LOG_LEVEL: 'error' });
  const stores = openStores(settings);
  await prepareStores(stores, settings, Date.now());
  const deps = await createDeps(stores, settings, createLog(settings), () => '');
  await ensureAdministrator(deps, undefined);
  await fillBench(stores, size);
  const { token } = await issueUserToken(deps, 'admin', 24 * 3_600_000);
  const kennel = await serveKennel(env);
  return {
    store,
    size,
    env,
    deps,
    token,
    kennel,
    stop: async () => {
      await kennel.stop();
      await stores.close();
    },
  };
}

async function measureCell(
  instance: Instance,
  operation: BenchOperation,
  connections: number,
  seconds: number,
): Promise<Cell> {
  const { store, size, kennel, token, deps, env } = instance;
  const target = await operation.prepare?.(deps, 6000 * seconds);
  const request = target ?? operation.request;
  const body = operation.isRead ? await answerOf(kennel.url, token, operation) : '{"data":{}}';
  const statements = operation.isRead && store === 'postgres' ? await statementsOf(operation, deps) : [];
  const bare = await serveBare({ body, statements: [] });
  const bareSql =
    statements.length === 0
      ? undefined
      : await serveBare({ body, statements, databaseUrl: env.DATABASE_URL });
  // Each is warmed up, then measured; neighbours in time, so that the ratios hold on a noisy machine.
  const run = async (url: string, to = operation.request) => {
    await measure(url, token, to, connections, 0.5);
    return measure(url, token, to, connections, seconds);
  };
  const cell: Cell = {
    store,
    size: size.name,
    operation: operation.name,
    isRead: operation.isRead,
    connections,
    bare: await run(bare.url),
    kennel:
      target === undefined
        ? await run(kennel.url)
        : await measure(kennel.url, token, request, connections, seconds),
    bareSql: bareSql && (await run(bareSql.url)),
  };
  await bare.stop();
  await bareSql?.stop();
  progress(
    `${store} ${size.name} ${operation.name} at ${connections}: ${Math.round(cell.kennel.perSecond)}/s`,
  );
  return cell;
}

async function answerOf(url: string, token: string, operation: BenchOperation): Promise<string> {
  const response = await fetch(url + operation.request(0).path, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(`${operation.name} answers ${response.status}: ${await response.text()}`);
  return response.text();
}

/** What the operation asks of the store, recorded from its own code. */
async function statementsOf(
  operation: BenchOperation,
  deps: Deps,
): Promise<{ sql: string; params: Value[] }[]> {
  const statements: { sql: string; params: Value[] }[] = [];
  const recorder: Reader = {
    dialect: 'postgres',
    query: (sql, params = []) => {
      statements.push({ sql, params: [...params] });
      return deps.graph.query(sql, params);
    },
    one: async <Row>(sql: string, params?: readonly Value[]) => (await recorder.query<Row>(sql, params))[0],
  };
  await operation.read?.(recorder);
  return statements;
}

async function newDatabase(adminUrl: string, name: string): Promise<string> {
  await createDatabase(adminUrl, name);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

function readOptions(args: readonly string[]): Options {
  const value = (name: string, otherwise: string) =>
    args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise;
  const sizes = value('sizes', 'small,large').split(',');
  return {
    seconds: Number(value('seconds', '3')),
    connections: value('connections', '1,16,64').split(',').map(Number),
    stores: value('stores', 'sqlite,postgres').split(','),
    sizes: [small, large].filter(({ name }) => sizes.includes(name)),
    only: value('only', ''),
  };
}
