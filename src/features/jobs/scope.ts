import type { Reader } from '../../db/client.ts';
import { labelOf } from '../../graph/kinds.ts';
import { findNodes, type GraphNode, objectKey } from '../../graph/store.ts';
import type { JobRow } from './store.ts';

/** What a task is limited to, with what the graph knows of it. */
export interface Scope {
  readonly ous: {
    objectid: string;
    name: string;
    exists: boolean;
    distinguishedname: string;
    type: string;
  }[];
  readonly domains: { objectid: string; name: string; exists: boolean; type: string }[];
}

type Scoped = Pick<JobRow, 'ous' | 'domains'>;

/** gap 3.8: organisational units and domains are looked up in the graph when they are read. */
export async function readScope(graph: Reader, job: Scoped): Promise<Scope> {
  const [scope] = await readScopes(graph, [job]);
  return scope ?? { ous: [], domains: [] };
}

/** Those of several, with one look at the graph. */
export async function readScopes(graph: Reader, jobs: readonly Scoped[]): Promise<Scope[]> {
  const wanted = jobs.map(({ ous, domains }) => ({
    ous: JSON.parse(ous) as string[],
    domains: JSON.parse(domains) as string[],
  }));
  const ids = [...new Set(wanted.flatMap(({ ous, domains }) => [...ous, ...domains]))];
  const nodes = await findNodes(graph, ids);
  const entry = (objectid: string, kind: string) => {
    const node = nodes.get(objectKey(objectid));
    return { objectid, name: node?.name ?? '', exists: node !== undefined, type: typeOf(node, kind) };
  };
  return wanted.map(({ ous, domains }) => ({
    ous: ous.map((objectid) => {
      const dn = nodes.get(objectKey(objectid))?.properties.distinguishedname;
      return { ...entry(objectid, 'OU'), distinguishedname: typeof dn === 'string' ? dn : '' };
    }),
    domains: domains.map((objectid) => entry(objectid, 'Domain')),
  }));
}

function typeOf(node: GraphNode | undefined, otherwise: string): string {
  return node === undefined ? otherwise : labelOf(node.kinds, () => false);
}
