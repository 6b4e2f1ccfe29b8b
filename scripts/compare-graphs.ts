import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

/**
 * Compares two OpenGraph files, such as `kennel export --opengraph` writes: nodes, their kinds as sets, edges by
 * start, end and kind, and properties. When something was seen does not count.
 *
 *     node --import tsx scripts/compare-graphs.ts EXPECTED.json FOUND.json
 *     KENNEL_DATA_DIR=$(mktemp -d) node --import tsx scripts/compare-graphs.ts EXPECTED.json --ingest FILE...
 *
 * With --ingest it reads collector files, in that order, into the store of the settings, which should be empty, and
 * compares what is in the graph then, before any analysis.
 */

export interface OpenGraphFile {
  readonly graph: {
    readonly nodes: readonly OpenGraphNode[];
    readonly edges: readonly OpenGraphEdge[];
  };
}

interface OpenGraphNode {
  readonly id: string;
  readonly kinds: readonly string[];
  /** All of them, where `kinds` has no room. */
  readonly all_kinds?: readonly string[];
  /** The kind of its zone, which OpenGraph does not take among the others. */
  readonly zone?: string;
  readonly properties?: Properties | null;
}

interface OpenGraphEdge {
  readonly kind: string;
  readonly start: { readonly value: string };
  readonly end: { readonly value: string };
  readonly properties?: Properties | null;
}

type Properties = Readonly<Record<string, unknown>>;
type Things = Map<string, Properties>;

/** Times, and what the id says already. */
const leftOut = new Set(['lastseen', 'lastcollected', 'objectid']);

/** What differs, in plain words and in order; nothing when the graphs are equal. */
export function compareGraphs(expected: OpenGraphFile, found: OpenGraphFile): string[] {
  return [
    ...compareThings('node', nodesOf(expected), nodesOf(found)),
    ...compareThings('edge', edgesOf(expected), edgesOf(found)),
  ];
}

function nodesOf({ graph }: OpenGraphFile): Things {
  const nodes: Things = new Map();
  for (const node of graph.nodes) {
    const zone = node.zone === undefined ? [] : [node.zone];
    const kinds = [...new Set([...(node.all_kinds ?? node.kinds), ...zone])].sort();
    add(nodes, node.id.toUpperCase(), { '(kinds)': kinds, ...node.properties });
  }
  return nodes;
}

function edgesOf({ graph }: OpenGraphFile): Things {
  const edges: Things = new Map();
  for (const { start, kind, end, properties } of graph.edges) {
    add(edges, `${start.value.toUpperCase()} -${kind}-> ${end.value.toUpperCase()}`, { ...properties });
  }
  return edges;
}

function add(things: Things, key: string, properties: Properties): void {
  if (things.has(key)) throw new Error(`the file has ${key} more than once`);
  things.set(key, properties);
}

function compareThings(word: string, expected: Things, found: Things): string[] {
  const differences: string[] = [];
  for (const key of [...new Set([...expected.keys(), ...found.keys()])].sort()) {
    const [before, after] = [expected.get(key), found.get(key)];
    if (after === undefined) differences.push(`${word} ${key} is missing`);
    else if (before === undefined) differences.push(`${word} ${key} is too much`);
    else differences.push(...compareProperties(`${word} ${key}`, before, after));
  }
  return differences;
}

function compareProperties(name: string, expected: Properties, found: Properties): string[] {
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
  return keys
    .filter((key) => !leftOut.has(key) && !isDeepStrictEqual(expected[key], found[key]))
    .map((key) => `${name}: ${key} is ${shown(found[key])}, not ${shown(expected[key])}`);
}

function shown(value: unknown): string {
  return value === undefined ? 'not set' : JSON.stringify(value);
}

async function main(args: readonly string[]): Promise<void> {
  const [expected, found, ...files] = args;
  const isIngest = found === '--ingest';
  if (expected === undefined || found === undefined || isIngest !== files.length > 0) {
    console.error('usage: compare-graphs.ts EXPECTED.json FOUND.json | EXPECTED.json --ingest FILE...');
    process.exitCode = 2;
    return;
  }
  const text = isIngest
    ? await (await import('./graph-of-files.ts')).graphOfFiles(files)
    : readFileSync(found, 'utf8');
  const differences = compareGraphs(JSON.parse(readFileSync(expected, 'utf8')), JSON.parse(text));
  for (const line of differences.slice(0, 200)) console.log(line);
  console.error(differences.length === 0 ? 'the graphs are equal' : `${differences.length} differences`);
  if (differences.length > 0) process.exitCode = 1;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2));
}
