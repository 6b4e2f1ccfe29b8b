import { serverItself } from '../../caller.ts';
import { unlessClockHeld } from '../../clock-hold.ts';
import type { Deps } from '../../deps.ts';
import { expire } from '../../graph/ingest/write/expire.ts';
import { forgetApplied } from '../../graph/ingest/write/ledger.ts';
import { parseIsoDuration } from '../../values/duration.ts';
import type { Task } from '../../worker/worker.ts';
import { askFor } from '../analysis/index.ts';
import { readParameter } from '../app-config/index.ts';
import { LongWork } from '../audit/index.ts';

const day = 86_400_000;
/** What was applied is known for longer than a file can be read again, an archive of which a part failed for one. */
const ledgerDays = 30;

async function forgetOldFiles({ graph, clock, settings }: Deps): Promise<void> {
  const days = ledgerDays + settings.failedFileHours / 24;
  while (await graph.transaction((db) => forgetApplied(db, clock() - days * day)));
}

/**
 * What was not seen again for as long as `prune.ttl` says goes, while `analysis.reconciliation` is on. Time stands
 * still while nothing is read: after an outage, or with one upload alone, nobody has looked again.
 */
export const expiryTask: Task = {
  name: 'expiry of the graph',
  everyMs: 60 * 60_000,
  run: unlessClockHeld(async (deps) => {
    const { db, graph, clock, log } = deps;
    await forgetOldFiles(deps);
    const latest = await graph.one<{ applied_at: number }>(
      'select applied_at from applied_files order by id desc limit 1',
    );
    if (latest === undefined) return;
    const { base_ttl, has_session_edge_ttl } = await readParameter(db, 'prune.ttl');
    const { enabled } = await readParameter(db, 'analysis.reconciliation');
    const work = new LongWork(deps, 'ExpireGraph', { base_ttl, has_session_edge_ttl });
    const expired = await expire(
      graph,
      {
        now: Math.min(clock(), latest.applied_at),
        baseTtlMs: parseIsoDuration(base_ttl) ?? Number.POSITIVE_INFINITY,
        sessionTtlMs: parseIsoDuration(has_session_edge_ttl) ?? Number.POSITIVE_INFINITY,
        reconciliation: enabled,
      },
      (graph) => work.begin(graph),
    );
    await work.finish({ deleted_edges: expired.edges, deleted_nodes: expired.nodes });
    if (expired.edges + expired.nodes === 0) return;
    // What follows from the graph may be another now.
    await db.transaction((db) => askFor(db, serverItself, 'expiry', clock()));
    log.info(expired, 'removed from the graph: not seen again');
  }),
};
