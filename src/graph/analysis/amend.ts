import type { Db, Transaction } from '../../db/client.ts';
import { writerLock } from '../ingest/write/apply-file.ts';
import { Interner } from '../ingest/write/interner.ts';
import { loadIds, loadNodes, type NewNodeRow, type NodeRow, upsertNodes } from '../ingest/write/node-rows.ts';
import { slices } from '../ingest/write/staged.ts';
import type { Estate, Properties } from './estate.ts';
import type { LoadedGraph, LoadedNode } from './load.ts';
import { amendmentsFor, type NodeChange, type PreparedNode } from './prepare.ts';

/**
 * Brings the graph itself in order before the rules look at it, and then holds it in memory. These are facts about the
 * graph and no results, so they are written at once; written twice they are the same.
 */
export async function amend(
  graph: Db,
  { nodes, builder }: LoadedGraph,
  now: number,
  onBatch: () => Promise<void>,
): Promise<Estate> {
  const { newNodes, changes } = amendmentsFor(nodes);
  const added: LoadedNode[] = [];
  for (const some of slices(newNodes)) {
    await onBatch();
    const ids = await writeNodes(graph, some, now);
    added.push(...some.map((node) => ({ ...node, storeId: ids.get(node.objectId) ?? 0 })));
  }
  for (const some of slices(changes)) {
    await onBatch();
    await writeChanges(graph, some);
  }
  const changeOf = new Map(changes.map((change) => [change.objectId, change]));
  for (const node of nodes) builder.node(changed(node, changeOf.get(node.objectId)));
  for (const node of added) builder.node(node);
  return builder.build();
}

function changed(node: LoadedNode, change: NodeChange | undefined): LoadedNode {
  if (change === undefined) return node;
  return {
    ...node,
    kinds: withKinds(node.kinds, change.addKinds),
    properties: { ...node.properties, ...change.setProperties },
  };
}

/** The first kind is what a node is shown as, so a kind that it should have had comes first. */
function withKinds(kinds: readonly string[], more: readonly string[] = []): readonly string[] {
  return [...more.filter((kind) => !kinds.includes(kind)), ...kinds];
}

/** Somebody may have brought one of them meanwhile: then it stays as it is. */
function writeNodes(graph: Db, nodes: readonly PreparedNode[], now: number): Promise<Map<string, number>> {
  return exclusively(graph, async (graph) => {
    const ids = nodes.map(({ objectId }) => objectId);
    const known = await loadIds(graph, ids);
    const lists = new Interner('kind_lists');
    await lists.ensure(
      graph,
      nodes.map(({ kinds }) => JSON.stringify(kinds)),
    );
    await upsertNodes(
      graph,
      nodes
        .filter(({ objectId }) => !known.has(objectId))
        .map((node) => newRow(node, lists.idOf(JSON.stringify(node.kinds)), now)),
    );
    return loadIds(graph, ids);
  });
}

function newRow({ objectId, properties }: PreparedNode, kindListId: number, now: number): NewNodeRow {
  return {
    object_id: objectId,
    kind_list_id: kindListId,
    name: nameOf(properties) ?? '',
    properties: JSON.stringify({ objectid: objectId, ...properties }),
    last_seen: now,
    last_collected: null,
    scanned: null,
    record_hash: null,
    stated_at: 0,
    record_file: 0,
    claimed_by: null,
  };
}

function writeChanges(graph: Db, changes: readonly NodeChange[]): Promise<void> {
  return exclusively(graph, async (graph) => {
    const rows = await loadNodes(
      graph,
      changes.map(({ objectId }) => objectId),
    );
    const after = changes.flatMap((change) => {
      const row = rows.get(change.objectId);
      return row === undefined ? [] : [amended(row, change)];
    });
    const lists = new Interner('kind_lists');
    await lists.ensure(
      graph,
      after.map(({ kinds }) => kinds),
    );
    await upsertNodes(
      graph,
      after.map((row) => ({ ...row, kind_list_id: lists.idOf(row.kinds) })),
    );
  });
}

function amended(row: NodeRow, { addKinds, setProperties }: NodeChange): NodeRow {
  const properties = { ...JSON.parse(row.properties), ...setProperties };
  return {
    ...row,
    kinds: JSON.stringify(withKinds(JSON.parse(row.kinds), addKinds)),
    name: nameOf(properties) ?? row.name,
    properties: JSON.stringify(properties),
  };
}

function nameOf({ name }: Properties): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

function exclusively<T>(graph: Db, write: (graph: Transaction) => Promise<T>): Promise<T> {
  return graph.transaction(async (graph) => {
    await graph.lock(writerLock);
    return write(graph);
  });
}
