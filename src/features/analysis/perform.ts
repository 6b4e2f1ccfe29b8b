import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { type AnalysisHooks, AnalysisStopped, analyse } from '../../graph/analysis/run.ts';
import { Superseded } from '../../graph/analysis/store.ts';
import { readParameter } from '../app-config/index.ts';
import { insertRun } from '../posture/index.ts';
import { readZones } from '../zones/index.ts';
import type { RunOutcome } from './messages.ts';

/** One run, in this process. */
export async function perform(
  { db, graph, clock, log }: Pick<Deps, 'db' | 'graph' | 'clock' | 'log'>,
  requestId: number,
  hooks: AnalysisHooks,
): Promise<RunOutcome> {
  try {
    const { enabled: citrixRdp } = await readParameter(db, 'analysis.citrix_rdp_support');
    const summary = await analyse(
      graph,
      {
        requestId,
        settings: { citrixRdp },
        zones: await readZones(graph),
        clock,
        publish: insertRun,
      },
      hooks,
    );
    return { type: 'done', summary };
  } catch (error) {
    if (error instanceof AnalysisStopped || error instanceof Superseded) return { type: 'stopped' };
    if (error instanceof AppError && error.code === 'unavailable')
      return { type: 'unavailable', reason: error.message };
    log.error({ err: error }, 'an analysis failed');
    return { type: 'broken', reason: 'an internal error, which is in the log' };
  }
}
