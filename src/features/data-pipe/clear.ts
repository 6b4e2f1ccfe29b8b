import type { Origin } from '../../caller.ts';
import { changeBoth } from '../../db/both.ts';
import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { forgetSpells } from '../../graph/analysis/spells.ts';
import { unpublish } from '../../graph/analysis/store.ts';
import { clearEdges, clearNodes, forgetRecords } from '../../graph/clear.ts';
import { writerLock } from '../../graph/ingest/write/apply-file.ts';
import type { Task } from '../../worker/worker.ts';
import { askFor } from '../analysis/index.ts';
import { recordAudit } from '../audit/index.ts';
import { deleteRuns } from '../posture/index.ts';
import { deleteIngestHistory } from '../spool/index.ts';
import {
  addDeleted,
  type Clear,
  clearLook,
  type Deleted,
  findOpenClear,
  finishClear,
  insertClear,
  type Wish,
} from './store.ts';

const lockName = 'kennel: clear';
/** A shutdown waits for one turn. */
const turnMs = 2000;

/** Deletes what was asked for, in small transactions, so that nobody waits for them; goes on after a restart. */
export const clearTask: Task = {
  name: 'clear the database',
  everyMs: 60_000,
  looks: [clearLook],
  run: async (deps) => {
    const until = performance.now() + turnMs;
    for (;;) {
      const clear = await findOpenClear(deps.graph);
      if (clear === undefined || !(await goOn(deps, clear, until))) return;
    }
  },
};

/** The record of the intent is there before anything is deleted, whatever becomes of the process. */
export function startClear(
  stores: Pick<Deps, 'db' | 'graph'>,
  wish: Wish,
  origin: Origin,
  now: number,
): Promise<number> {
  return changeBoth(stores, async (graph, db) => {
    const id = await insertClear(graph, wish, origin, now);
    const fields = wishFields(id, now, wish);
    await recordAudit(db, origin, now, { action: 'ClearDatabase', outcome: 'intent', fields });
    return id;
  });
}

function wishFields(id: number, askedAt: number, wish: Wish) {
  return {
    clear_id: id,
    asked_at: new Date(askedAt).toISOString(),
    collected_graph_data: wish.graph,
    source_kinds: wish.sourceKinds,
    file_ingest_history: wish.fileHistory,
    data_quality_history: wish.posture,
  };
}

/** True when all of it is done. */
async function goOn(deps: Deps, clear: Clear, until: number): Promise<boolean> {
  for (const part of partsOf(deps, clear)) {
    let isLeft = true;
    while (isLeft) {
      if (performance.now() > until) return false;
      isLeft = await part();
    }
  }
  await finish(deps, clear.id);
  return true;
}

/** Each deletes one batch and tells whether there may be more. */
function partsOf(deps: Deps, { id, askedAt, wish }: Clear): (() => Promise<boolean>)[] {
  const parts: (() => Promise<boolean>)[] = [];
  const inGraph = (work: (graph: Transaction) => Promise<Partial<Deleted> | undefined>) => () =>
    deps.graph.transaction(async (graph) => {
      await graph.lock(writerLock);
      const deleted = await work(graph);
      if (deleted === undefined) return false;
      await addDeleted(graph, id, deleted);
      return true;
    });
  if (wish.graph || wish.sourceKinds.length > 0) {
    const kinds = wish.graph ? {} : { kinds: wish.sourceKinds };
    let cursor = 0;
    const step = (batch: typeof clearEdges | typeof clearAllNodes) =>
      inGraph(async (graph) => {
        const cleared = await batch(graph, askedAt, cursor);
        // The next part begins at the beginning.
        cursor = cleared.cursor ?? 0;
        const { nodes, edges } = cleared;
        return cleared.cursor === undefined ? undefined : { nodes, edges };
      });
    const clearAllNodes = (graph: Transaction, askedAt: number, cursor: number) =>
      clearNodes(graph, { askedAt, ...kinds }, cursor);
    if (wish.graph) {
      parts.push(
        inGraph(async (graph) => {
          await unpublish(graph);
          return undefined;
        }),
        step(clearEdges),
      );
    }
    parts.push(step(clearAllNodes));
    let remembered: number | undefined = 0;
    parts.push(
      inGraph(async (graph) => {
        remembered = await forgetRecords(graph, remembered ?? 0);
        return remembered === undefined ? undefined : {};
      }),
    );
  }
  if (wish.posture) {
    parts.push(
      inGraph(async (graph) => {
        const analysisRuns = await deleteRuns(graph, askedAt);
        return analysisRuns === 0 ? undefined : { analysisRuns };
      }),
      inGraph(async (graph) => ((await forgetSpells(graph, askedAt, deps.clock())) ? {} : undefined)),
    );
  }
  if (wish.fileHistory) {
    parts.push(async () => {
      const { files, uploads } = await deps.db.transaction(async (db) => {
        await db.lock(lockName);
        return deleteIngestHistory(db, askedAt);
      });
      if (files + uploads === 0) return false;
      await deps.graph.transaction((graph) => addDeleted(graph, id, { files, uploads }));
      return true;
    });
  }
  return parts;
}

/**
 * The record comes first: on SQLite the stores are two files, and a crash between the two transactions may write it
 * twice, but never leave it out.
 */
async function finish(deps: Deps, id: number): Promise<void> {
  const clear = await findOpenClear(deps.graph);
  // Another process was faster.
  if (clear?.id !== id) return;
  const { wish, deleted, askedAt } = clear;
  const now = deps.clock();
  await deps.db.transaction(async (db) => {
    if (wish.graph || wish.sourceKinds.length > 0) await askFor(db, clear.origin, 'clear', now);
    await recordAudit(db, clear.origin, now, {
      action: 'ClearDatabase',
      fields: {
        ...wishFields(id, askedAt, wish),
        deleted_nodes: deleted.nodes,
        deleted_edges: deleted.edges,
        deleted_files: deleted.files,
        deleted_uploads: deleted.uploads,
        deleted_analysis_runs: deleted.analysisRuns,
      },
    });
  });
  await deps.graph.transaction((graph) => finishClear(graph, id, now));
}
