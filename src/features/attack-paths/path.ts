import { inList, type Reader } from '../../db/client.ts';
import { Search, type Step } from './search.ts';
import { type FindingRow, readShown, type ShownNode } from './store.ts';
import { kindOfType } from './types.ts';

export interface PathEdge {
  readonly source: string;
  readonly target: string;
  readonly kind: string;
}

export interface Path {
  /** From the principal to the target; what is gone from the graph has its id as its name. */
  readonly nodes: readonly ShownNode[];
  readonly edges: readonly PathEdge[];
}

const most = { levels: 30, nodesOfLevel: 1000 };
const hygieneTag = 0;

/** One shortest way from an exposed principal through the finding; nothing for one that is gone. */
export async function examplePath(graph: Reader, finding: FindingRow): Promise<Path | undefined> {
  if (finding.state === 'remediated') return undefined;
  const { source_id: source, target_id: target, type, tag_id: tag } = finding;
  const kind = kindOfType.get(type);
  const last = kind === undefined ? [] : [{ source, target, kind }];
  // What is about one node is used by nobody, and neither is what is about everybody.
  const before = tag === hygieneTag || kind === undefined ? [] : await wayTo(graph, source, tag);
  const edges = [...before, ...last];
  const ids = new Set([...edges.map((edge) => edge.source), target]);
  const shown = await readShown(graph, ids);
  const nodes = [...ids].map((id) => shown.get(id) ?? { objectId: id, name: id, kinds: [] });
  return { nodes, edges };
}

/** Edges from the nearest principal to the source, none if it is one itself or nobody gets there. */
async function wayTo(graph: Reader, source: string, tag: number): Promise<PathEdge[]> {
  const search = await Search.begin(graph, tag);
  const node = await search.find(source);
  if (node === undefined || node.isPrincipal) return [];
  /** Of each node that was met, the edge that leads on. */
  const onward = new Map<number, Step | undefined>([[node.id, undefined]]);
  let level = [node.id];
  for (let depth = 0; depth < most.levels && level.length > 0; depth += 1) {
    const found = await search.principalBefore(level);
    if (found !== undefined) return describe(graph, trail(found, onward));
    const next: number[] = [];
    for (const step of await search.before(level, 4 * most.nodesOfLevel)) {
      if (onward.has(step.start) || next.length === most.nodesOfLevel) continue;
      onward.set(step.start, step);
      next.push(step.start);
    }
    level = next;
  }
  return [];
}

function trail(first: Step, onward: ReadonlyMap<number, Step | undefined>): Step[] {
  const steps: Step[] = [];
  for (let step: Step | undefined = first; step !== undefined; step = onward.get(step.end)) steps.push(step);
  return steps;
}

async function describe(graph: Reader, steps: readonly Step[]): Promise<PathEdge[]> {
  const nodes = inList(
    steps.flatMap(({ start, end }) => [start, end]),
    1,
  );
  const ids = await graph.query<{ id: number; name: string }>(
    `select id, object_id as name from nodes where id in (${nodes.sql})`,
    nodes.params,
  );
  const kinds = await graph.query<{ id: number; name: string }>('select id, name from edge_kinds');
  const namesOf = (rows: readonly { id: number; name: string }[]) =>
    new Map(rows.map(({ id, name }) => [id, name]));
  const [idOf, kindOf] = [namesOf(ids), namesOf(kinds)];
  return steps.map(({ start, end, kind }) => ({
    source: idOf.get(start) ?? '',
    target: idOf.get(end) ?? '',
    kind: kindOf.get(kind) ?? '',
  }));
}
