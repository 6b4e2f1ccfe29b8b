import type { Edge, Node } from './graph.ts';

interface Parts {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** Takes away node by node, edge by edge and property by property what `stillFails` can do without. */
export function shrink(parts: Parts, stillFails: (parts: Parts) => boolean): Parts {
  let smallest = parts;
  for (let size = Number.POSITIVE_INFINITY; sizeOf(smallest) < size; ) {
    size = sizeOf(smallest);
    for (const smaller of [withoutNodes, withoutEdges, withoutProperties])
      for (const part of smaller(smallest)) {
        const tried = part(smallest);
        if (stillFails(tried)) smallest = tried;
      }
  }
  return smallest;
}

type Step = (parts: Parts) => Parts;

function sizeOf({ nodes, edges }: Parts): number {
  const properties = nodes.flatMap((node) => Object.keys(node.properties));
  return nodes.length + edges.length + properties.length;
}

function withoutNodes({ nodes }: Parts): Step[] {
  return nodes.map(({ objectId }) => (parts) => ({
    nodes: parts.nodes.filter((node) => node.objectId !== objectId),
    edges: parts.edges.filter(({ start, end }) => start !== objectId && end !== objectId),
  }));
}

function withoutEdges({ edges }: Parts): Step[] {
  return edges.map((edge) => (parts) => ({
    nodes: parts.nodes,
    edges: parts.edges.filter((other) => other !== edge),
  }));
}

function withoutProperties({ nodes }: Parts): Step[] {
  return nodes.flatMap(({ objectId, kinds, properties }) =>
    Object.keys(properties)
      .filter((name) => !(name === 'domainsid' && kinds.includes('Domain')))
      .map(
        (name): Step =>
          (parts) => ({
            nodes: parts.nodes.map((node) =>
              node.objectId === objectId ? { ...node, properties: without(node.properties, name) } : node,
            ),
            edges: parts.edges,
          }),
      ),
  );
}

function without(properties: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => key !== name));
}
