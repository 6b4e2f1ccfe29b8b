import type { Edge, Node, Pair } from './graph.ts';

/** The graph as a drawing that test/drawings.ts reads, to be pasted as a test. */
export function drawingOf(
  title: string,
  nodes: readonly Node[],
  edges: readonly Edge[],
  kind: string,
  expected: readonly Pair[],
): string {
  const names = new Map(nodes.map((node) => [node.objectId, nameOf(node)]));
  return [
    `== ${title}`,
    ...nodes.map((node) => drawnNode(names.get(node.objectId) as string, node)),
    ...edges.map(({ start, kind, end }) => `${names.get(start)} -${kind}-> ${names.get(end)}`),
    ...expected.map(
      ([start, end]) => `=> ${names.get(start.objectId)} -${kind}-> ${names.get(end.objectId)}`,
    ),
  ].join('\n');
}

function nameOf({ objectId }: Node): string {
  return `n_${objectId.replace(/[^A-Za-z0-9]+/g, '_')}`;
}

function drawnNode(name: string, { objectId, kinds, properties }: Node): string {
  const own = Object.entries({ name: '', ...properties })
    .filter(([key, value]) => key !== 'domain' && !(kinds.includes('Domain') && value === objectId))
    .map(([key, value]) => `${key}=${JSON.stringify(value).replaceAll(' ', '\\u0020')}`);
  return [
    `${name}:`,
    ...kinds.filter((kind) => kind !== 'Base' || kinds.includes('AZBase')),
    `id=${objectId}`,
    ...own,
  ].join(' ');
}
