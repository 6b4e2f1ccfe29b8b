import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';
import { generate, onStore, watched } from './ingest.ts';
import { type Cost, countGraph, ingest, run } from './ingest-run.ts';
import { type Measurement, measure } from './load.ts';
import { serveKennel } from './processes.ts';

interface Point {
  readonly store: string;
  readonly objects: number;
  readonly edges: number;
  readonly derived: number;
  readonly cost: Cost;
  readonly atRest: Measurement;
  readonly during: Measurement;
}

const usualSizes = [10_000, 30_000, 100_000, 300_000, 500_000];
const goals: Readonly<Record<number, { seconds: number; megabytes: number }>> = {
  100000: { seconds: 20, megabytes: 500 },
  500000: { seconds: 120, megabytes: 1500 },
};
/** How much more an edge may cost in the largest estate than in the smallest, and a request during an analysis. */
const mostGrowth = 1.25;
const mostDelay = 2;
const loadSeconds = 5;
const connections = 4;
const out = (line: string) => process.stdout.write(`${line}\n`);

/** Estates of growing size through `kennel analyze`, and how a server answers meanwhile. */
export async function benchAnalysis(args: readonly string[]): Promise<void> {
  const value = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const largest = Number(value('objects') ?? 500_000);
  const store = value('store') ?? 'both';
  const stores = store === 'both' ? (['sqlite', 'postgres'] as const) : [store as 'sqlite' | 'postgres'];
  const sizes = [...usualSizes.filter((size) => size < largest), largest];
  const folder = temporaryFolder('bench-analysis');
  const points: Point[] = [];
  for (const objects of sizes) {
    const made = await generate(join(folder, `estate-${objects}`), objects, Number(value('seed') ?? 1));
    for (const store of stores)
      points.push(await onStore(store, folder, (env) => measureEstate(store, objects, env, made.files)));
    rmSync(join(folder, `estate-${objects}`), { recursive: true, force: true });
  }
  print(points);
}

async function measureEstate(
  store: string,
  objects: number,
  env: Record<string, string>,
  files: readonly string[],
): Promise<Point> {
  const name = `${store}, ${objects} objects`;
  await watched(`${name}, ingesting`, () => ingest(env, files));
  const { edges } = await countGraph(env);
  const { printed, ...cost } = await watched(`${name}, analysing`, () => run(['analyze', '--json'], env));
  const { derived_edges: derived } = JSON.parse(printed) as { derived_edges: number };
  const answers = await whileAnalysing(env);
  return { store, objects, edges, derived, cost, ...answers };
}

/** The same requests at rest and during an analysis that a server does in the background. */
async function whileAnalysing(
  env: Record<string, string>,
): Promise<{ atRest: Measurement; during: Measurement }> {
  const server = await serveKennel(env);
  try {
    const { token } = JSON.parse((await run(['token', '--json'], env)).printed) as { token: string };
    const request = () => ({ method: 'GET' as const, path: '/api/v2/custom-nodes/User' });
    const load = (seconds: number) => measure(server.url, token, request, connections, seconds);
    await load(1);
    const atRest = await load(loadSeconds);
    const headers = { authorization: `Bearer ${token}` };
    const asked = await fetch(`${server.url}/api/v2/analysis`, { method: 'PUT', headers });
    if (asked.status !== 202) throw new Error(`PUT /api/v2/analysis: ${asked.status} ${await asked.text()}`);
    return { atRest, during: await load(loadSeconds) };
  } finally {
    await server.stop();
  }
}

const edgeCost = ({ cost, edges }: Point) => (cost.seconds * 1e6) / edges;

function print(points: readonly Point[]): void {
  out(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()})\n`);
  out(
    '| Store | Objects | Edges | Derived | s | CPU s | Load | Peak MB | µs/edge | Of the first | p99 ms at rest | During | Times |',
  );
  out(`|---|${'---:|'.repeat(12)}`);
  for (const point of points) {
    const { store, objects, edges, derived, cost, atRest, during } = point;
    const first = points.find((other) => other.store === store) ?? point;
    const cells = [
      store,
      objects,
      edges,
      derived,
      cost.seconds.toFixed(1),
      cost.cpuSeconds.toFixed(1),
      cost.load.toFixed(0),
      cost.peakMb,
      edgeCost(point).toFixed(1),
      (edgeCost(point) / edgeCost(first)).toFixed(2),
      atRest.p99,
      during.p99,
      (during.p99 / atRest.p99).toFixed(2),
    ];
    out(`| ${cells.join(' | ')} |`);
  }
  out('');
  for (const point of points) printGoals(point, points);
}

function printGoals(point: Point, points: readonly Point[]): void {
  const { store, objects, cost, atRest, during } = point;
  const tell = (found: string, goal: string, isMet: boolean) =>
    out(`- ${store}, ${objects} objects: ${found}; goal ${goal}: ${isMet ? 'met' : 'NOT met'}`);
  const goal = goals[objects];
  if (goal !== undefined) {
    tell(`${cost.seconds.toFixed(1)} s`, `below ${goal.seconds} s`, cost.seconds < goal.seconds);
    tell(`${cost.peakMb} MB`, `below ${goal.megabytes} MB`, cost.peakMb < goal.megabytes);
  }
  const delay = during.p99 / atRest.p99;
  tell(`p99 ${delay.toFixed(2)} times that at rest`, `at most ${mostDelay}`, delay <= mostDelay);
  const first = points.find((other) => other.store === store);
  if (first === undefined || first === point) return;
  const growth = edgeCost(point) / edgeCost(first);
  tell(
    `an edge costs ${growth.toFixed(2)} times one among ${first.edges}`,
    `at most ${mostGrowth}`,
    growth <= mostGrowth,
  );
}
