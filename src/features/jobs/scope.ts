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

/** gap 3.8: organisational units and domains are looked up in the graph when they are read. */
export async function readScope(graph: Reader, job: Pick<JobRow, 'ous' | 'domains'>): Promise<Scope> {
  const ous = JSON.parse(job.ous) as string[];
  const domains = JSON.parse(job.domains) as string[];
  const nodes = await findNodes(graph, [...ous, ...domains]);
  const entry = (objectid: string, kind: string) => {
    const node = nodes.get(objectKey(objectid));
    return { objectid, name: node?.name ?? '', exists: node !== undefined, type: typeOf(node, kind) };
  };
  return {
    ous: ous.map((objectid) => {
      const dn = nodes.get(objectKey(objectid))?.properties.distinguishedname;
      return { ...entry(objectid, 'OU'), distinguishedname: typeof dn === 'string' ? dn : '' };
    }),
    domains: domains.map((objectid) => entry(objectid, 'Domain')),
  };
}

function typeOf(node: GraphNode | undefined, otherwise: string): string {
  return node === undefined ? otherwise : labelOf(node.kinds, () => false);
}
