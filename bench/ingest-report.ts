import { cpus } from 'node:os';
import type { Ingest } from './ingest-run.ts';

/** One estate on one store. */
export interface Point {
  readonly store: string;
  readonly objects: number;
  readonly bytes: number;
  readonly nodes: number;
  readonly edges: number;
  readonly first: Ingest;
  readonly again: Ingest;
}

export interface LargeFile {
  readonly store: string;
  readonly objects: number;
  readonly megabytes: number;
  readonly ingest: Ingest;
}

const goals = {
  /** Of an estate of this size. */
  objects: 100_000,
  seconds: { sqlite: 60, postgres: 120 } as Readonly<Record<string, number>>,
  megabytes: 400,
  largeFileMegabytes: 500,
  timesFaster: 5,
  /** How much more an object may cost in the largest estate than in the smallest: what the machine's noise leaves. */
  growth: 1.25,
  /** How much more an object of Azure may cost than one of Active Directory, in time and in memory. */
  azure: 1.5,
};

const out = (line: string) => process.stdout.write(`${line}\n`);
const perObject = ({ first, objects }: Point) => (first.seconds * 1e6) / objects;
const cpuPerObject = ({ first, objects }: Point) => (first.cpuSeconds * 1e6) / objects;
const timesFaster = ({ first, again }: Point) => first.seconds / again.seconds;

/** Markdown, ready for docs/performance.md. */
export function printCurve(points: readonly Point[]): void {
  out(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()})\n`);
  out(
    '| Store | Objects | JSON MB | Nodes | Edges | First s | Objects/s | Of it CPU s | Load | Peak MB | Second s | Times faster | µs/object | Of the first | CPU µs/object | Of the first |',
  );
  out(`|---|${'---:|'.repeat(15)}`);
  for (const point of points) {
    const { store, objects, bytes, nodes, edges, first, again } = point;
    const smallest = points.find((other) => other.store === store) ?? point;
    const cells = [
      store,
      objects,
      (bytes / 1e6).toFixed(0),
      nodes,
      edges,
      first.seconds.toFixed(1),
      Math.round(objects / first.seconds),
      first.cpuSeconds.toFixed(1),
      first.load.toFixed(0),
      first.peakMb,
      again.seconds.toFixed(1),
      timesFaster(point).toFixed(1),
      perObject(point).toFixed(0),
      (perObject(point) / perObject(smallest)).toFixed(2),
      cpuPerObject(point).toFixed(0),
      (cpuPerObject(point) / cpuPerObject(smallest)).toFixed(2),
    ];
    out(`| ${cells.join(' | ')} |`);
  }
  out('');
}

export function printLargeFiles(files: readonly LargeFile[]): void {
  if (files.length === 0) return;
  out('| Store | One file, MB | Objects | s | Objects/s | Of it CPU s | Load | Peak MB |');
  out(`|---|${'---:|'.repeat(7)}`);
  for (const { store, megabytes, objects, ingest } of files) {
    const { seconds, cpuSeconds, peakMb, load } = ingest;
    const cells = [store, megabytes, objects, seconds.toFixed(1), Math.round(objects / seconds)];
    out(`| ${[...cells, cpuSeconds.toFixed(1), load.toFixed(0), peakMb].join(' | ')} |`);
  }
  out('');
}

export function printGoals(points: readonly Point[], files: readonly LargeFile[]): void {
  for (const point of points.filter(({ objects }) => objects === goals.objects)) {
    const { store, edges, first } = point;
    const name = `${store}, ${point.objects} objects and ${edges} edges`;
    const seconds = goals.seconds[store] ?? 0;
    tell(`${name}: ${first.seconds.toFixed(1)} s`, `below ${seconds} s`, first.seconds < seconds);
    tell(`${name}: ${first.peakMb} MB`, `below ${goals.megabytes} MB`, first.peakMb < goals.megabytes);
    const times = timesFaster(point);
    const goal = `at least ${goals.timesFaster} times`;
    tell(`${name}: the second time ${times.toFixed(1)} times faster`, goal, times >= goals.timesFaster);
  }
  for (const store of new Set(points.map((point) => point.store))) {
    const [smallest, largest] = [
      points.find((point) => point.store === store),
      points.findLast((point) => point.store === store),
    ];
    if (smallest === undefined || largest === undefined || smallest === largest) continue;
    const growth = perObject(largest) / perObject(smallest);
    const name = `${store}, an object among ${largest.objects} against one among ${smallest.objects}`;
    tell(`${name}: ${growth.toFixed(2)} times the cost`, `at most ${goals.growth}`, growth <= goals.growth);
  }
  for (const { store, megabytes, ingest } of files) {
    const goal = goals.largeFileMegabytes;
    tell(
      `${store}, one file of ${megabytes} MB: ${ingest.peakMb} MB`,
      `below ${goal} MB`,
      ingest.peakMb < goal,
    );
  }
}

export interface Pair {
  readonly directory: Point;
  readonly tenant: Point;
}

/** A tenant beside an estate of the same number of objects, each on an empty store of the same run. */
export function printTenants(pairs: readonly Pair[]): void {
  out(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()})\n`);
  out(
    '| Store | Source | Objects | JSON MB | Nodes | Edges | First s | Objects/s | Of it CPU s | Load | Peak MB | Second s | µs/object | CPU µs/object |',
  );
  out(`|---|---|${'---:|'.repeat(12)}`);
  for (const { directory, tenant } of pairs) {
    for (const [source, point] of [
      ['AD', directory],
      ['Azure', tenant],
    ] as const) {
      const { store, objects, bytes, nodes, edges, first, again } = point;
      const cells = [store, source, objects, (bytes / 1e6).toFixed(0), nodes, edges];
      const times = [first.seconds.toFixed(1), Math.round(objects / first.seconds)];
      const cost = [first.cpuSeconds.toFixed(1), first.load.toFixed(0), first.peakMb];
      const each = [again.seconds.toFixed(1), perObject(point).toFixed(0), cpuPerObject(point).toFixed(0)];
      out(`| ${[...cells, ...times, ...cost, ...each].join(' | ')} |`);
    }
  }
  out('');
  for (const { directory, tenant } of pairs) {
    const compare = (what: string, of: (point: Point) => number) => {
      const ratio = of(tenant) / of(directory);
      const found = `${tenant.store}, Azure against AD, ${what}: ${ratio.toFixed(2)} times`;
      tell(found, `at most ${goals.azure}`, ratio <= goals.azure);
    };
    compare('time per object', perObject);
    compare('processor time per object', cpuPerObject);
    compare('memory', ({ first }) => first.peakMb);
    compare('time per object the second time', ({ again, objects }) => again.seconds / objects);
  }
}

function tell(found: string, goal: string, isMet: boolean): void {
  out(`- ${found}; goal ${goal}: ${isMet ? 'met' : 'NOT met'}`);
}
