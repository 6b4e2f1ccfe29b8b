import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../db/client.ts';
import { writerLock } from '../ingest/write/apply-file.ts';
import { Interner } from '../ingest/write/interner.ts';
import { type MadeUp, nothingMadeUp, putTogether, takeApart } from '../ingest/write/made-up.ts';
import {
  loadIds,
  loadNodes,
  type NewNodeRow,
  type NodeRow,
  nameOf,
  upsertNodes,
} from '../ingest/write/node-rows.ts';
import { slices } from '../ingest/write/staged.ts';
import type { Estate } from './estate.ts';
import type { LoadedGraph, LoadedNode } from './load.ts';
import { Wants } from './prepare.ts';

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
  const wants = new Wants(nodes);
  const missing = new Map(wants.groups);
  const toWrite: string[] = [];
  for (const node of nodes) {
    missing.delete(node.objectId);
    const wanted = wants.of(node);
    if (!isSame(node, wanted)) toWrite.push(node.objectId);
    builder.node(wanted === nothingMadeUp ? node : together(node, wanted));
  }
  for (const some of slices([...missing.keys(), ...toWrite])) {
    await onBatch();
    const ids = await write(graph, some, wants, now);
    for (const objectId of some) {
      const group = missing.get(objectId);
      if (group === undefined) continue;
      builder.node({
        storeId: ids.get(objectId) ?? 0,
        objectId,
        kinds: group.kinds,
        properties: group.properties,
      });
    }
  }
  return builder.build();
}

function together(node: LoadedNode, madeUp: MadeUp): LoadedNode {
  const { kinds, properties } = putTogether(
    { kinds: node.kinds, properties: { ...node.properties } },
    madeUp,
  );
  return { ...node, kinds, properties };
}

/** Whether the store has it already. */
function isSame({ kinds, properties, madeUp = nothingMadeUp }: LoadedNode, wanted: MadeUp): boolean {
  if (madeUp === nothingMadeUp && wanted === nothingMadeUp) return true;
  const stated = { kinds, properties: { ...properties } };
  return isDeepStrictEqual(putTogether(stated, madeUp), putTogether(stated, wanted));
}

/**
 * Files may have come since the graph was read: what they state stays, and what is wanted is asked again of the nodes
 * as they are now.
 */
function write(
  graph: Db,
  objectIds: readonly string[],
  wants: Wants,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  return graph.transaction(async (graph) => {
    await graph.lock(writerLock);
    const before = await loadNodes(graph, objectIds);
    const after = objectIds.flatMap((objectId) => {
      const row = before.get(objectId);
      if (row === undefined && !wants.groups.has(objectId)) return [];
      const rest = row ?? newRow(objectId, now);
      const { stated } = takeApart(rest);
      const { kinds, properties, mark } = putTogether(stated, wants.of({ objectId, ...stated }));
      return [{ ...rest, kinds: JSON.stringify(kinds), properties, mark }];
    });
    const lists = new Interner('kind_lists');
    await lists.ensure(
      graph,
      after.map(({ kinds }) => kinds),
    );
    await upsertNodes(
      graph,
      after.map(
        ({ kinds, properties, mark, ...row }): NewNodeRow => ({
          ...row,
          kind_list_id: lists.idOf(kinds),
          name: nameOf(properties),
          properties: JSON.stringify(properties),
          made_up: mark,
        }),
      ),
    );
    return loadIds(graph, objectIds);
  });
}

function newRow(objectId: string, now: number): Omit<NodeRow, 'id'> {
  return {
    object_id: objectId,
    kind_list_id: 0,
    kinds: '[]',
    name: '',
    properties: JSON.stringify({ objectid: objectId }),
    last_seen: now,
    last_collected: null,
    scanned: null,
    record_hash: null,
    stated_at: 0,
    record_file: 0,
    claimed_by: null,
    made_up: null,
  };
}
