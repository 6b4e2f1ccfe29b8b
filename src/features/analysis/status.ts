import type { Reader } from '../../db/client.ts';
import type { AnalysisProgress } from '../../graph/analysis/run.ts';
import { isUnderWay } from './loop.ts';
import { findOpenRequest, readAnswers } from './requests.ts';
import { readNextScheduled } from './schedule.ts';
import { readState } from './store.ts';

export interface AnalysisStatus {
  /** Of the run under way, on whichever process it is. */
  readonly underWay: AnalysisProgress | undefined;
  /** Somebody asked for a run that has not ended. */
  readonly isRequested: boolean;
  readonly nextScheduledAt: number | null;
}

export async function readAnalysisStatus(db: Reader, graph: Reader, now: number): Promise<AnalysisStatus> {
  const state = await readState(db);
  const isRequested = (await findOpenRequest(db, await readAnswers(db, graph))) !== undefined;
  const underWay =
    isUnderWay(state, now) && state.stage !== null
      ? { stage: state.stage, percent: state.percent ?? 0 }
      : undefined;
  return { underWay, isRequested, nextScheduledAt: await readNextScheduled(db, now) };
}
