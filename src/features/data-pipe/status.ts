import Type, { type Static } from 'typebox';
import type { Reader } from '../../db/client.ts';
import { DateTime, dateTime, Struct } from '../../http/schemas.ts';
import { type AnalysisStatus, analysisStages, readAnalysisStatus } from '../analysis/index.ts';
import { hasJobsIn, jobStatus } from '../jobs/index.ts';
import { readLastRun } from '../posture/index.ts';
import { readIngestActivity } from '../spool/index.ts';
import { findOpenClear, lastCleared } from './store.ts';

export const Status = Struct({
  status: Type.Enum(['idle', 'ingesting', 'analyzing', 'purging']),
  updated_at: DateTime,
  last_complete_analysis_at: DateTime,
  last_analysis_run_at: DateTime,
  next_scheduled_analysis_at: DateTime,
  analysis_requested: Type.Boolean({
    description: 'Somebody asked for an analysis that is not published yet',
  }),
  analysis_stage: Type.Union([Type.Enum([...analysisStages]), Type.Null()], {
    description: 'Of the analysis that runs now; null when none does',
  }),
  analysis_percent: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()], {
    description: 'How far the analysis is that runs now; null when none does',
  }),
});

export interface PipeStatus {
  readonly status: Static<typeof Status>['status'];
  /** When a file, an analysis or a deletion last moved on. */
  readonly updatedAt: number | null;
  readonly analysis: AnalysisStatus;
  readonly lastRun: { readonly startedAt: number; readonly finishedAt: number } | undefined;
}

export async function readStatus(db: Reader, graph: Reader, now: number): Promise<PipeStatus> {
  const analysis = await readAnalysisStatus(db, graph, now);
  const { isIngesting, isAnalyzing, lastChange } = await readIngestActivity(db);
  const lastRun = await readLastRun(graph);
  const last = Math.max(lastChange ?? 0, lastRun?.finishedAt ?? 0, (await lastCleared(graph)) ?? 0);
  const updatedAt = last === 0 ? null : last;
  const known = { updatedAt, lastRun, analysis };
  if ((await findOpenClear(graph)) !== undefined) return { status: 'purging', ...known };
  if (isIngesting) return { status: 'ingesting', ...known };
  const isBusy = analysis.underWay !== undefined || isAnalyzing || (await hasJobsIn(db, jobStatus.analyzing));
  return { status: isBusy ? 'analyzing' : 'idle', ...known };
}

export function toStatusView({ status, updatedAt, lastRun, analysis }: PipeStatus): Static<typeof Status> {
  return {
    status,
    updated_at: dateTime(updatedAt),
    last_complete_analysis_at: dateTime(lastRun?.finishedAt ?? null),
    last_analysis_run_at: dateTime(lastRun?.startedAt ?? null),
    next_scheduled_analysis_at: dateTime(analysis.nextScheduledAt),
    analysis_requested: analysis.isRequested,
    analysis_stage: analysis.underWay?.stage ?? null,
    analysis_percent: analysis.underWay?.percent ?? null,
  };
}
