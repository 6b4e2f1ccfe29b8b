import Type, { type Static } from 'typebox';
import type { Reader } from '../../db/client.ts';
import { DateTime, dateTime, Struct } from '../../http/schemas.ts';
import { readIngestActivity } from '../ingest/index.ts';
import { hasJobsIn, jobStatus } from '../jobs/index.ts';
import { readLastRun } from '../posture/index.ts';
import { findOpenClear, lastCleared } from './store.ts';

export const Status = Struct({
  status: Type.Enum(['idle', 'ingesting', 'analyzing', 'purging']),
  updated_at: DateTime,
  last_complete_analysis_at: DateTime,
  last_analysis_run_at: DateTime,
});

export interface PipeStatus {
  readonly status: Static<typeof Status>['status'];
  /** When a file, an analysis or a deletion last moved on. */
  readonly updatedAt: number | null;
  readonly lastRun: { readonly startedAt: number; readonly finishedAt: number } | undefined;
}

export async function readStatus(db: Reader, graph: Reader): Promise<PipeStatus> {
  const { isIngesting, isAnalyzing, lastChange } = await readIngestActivity(db);
  const lastRun = await readLastRun(graph);
  const last = Math.max(lastChange ?? 0, lastRun?.finishedAt ?? 0, (await lastCleared(graph)) ?? 0);
  const updatedAt = last === 0 ? null : last;
  if ((await findOpenClear(graph)) !== undefined) return { status: 'purging', updatedAt, lastRun };
  if (isIngesting) return { status: 'ingesting', updatedAt, lastRun };
  const isBusy = isAnalyzing || (await hasJobsIn(db, jobStatus.analyzing));
  return { status: isBusy ? 'analyzing' : 'idle', updatedAt, lastRun };
}

export function toStatusView({ status, updatedAt, lastRun }: PipeStatus): Static<typeof Status> {
  return {
    status,
    updated_at: dateTime(updatedAt),
    last_complete_analysis_at: dateTime(lastRun?.finishedAt ?? null),
    last_analysis_run_at: dateTime(lastRun?.startedAt ?? null),
  };
}
