import type { AnalysisProgress, AnalysisSummary } from '../../graph/analysis/run.ts';
import type { StoreSettings } from '../../worker/child-process.ts';

export type ToAnalyst =
  | { readonly type: 'open'; readonly settings: StoreSettings }
  | { readonly type: 'analyse'; readonly requestId: number }
  | { readonly type: 'stop' };

/** What became of a run. */
export type RunOutcome =
  | { readonly type: 'done'; readonly summary: AnalysisSummary }
  /** On demand; the next one starts over. */
  | { readonly type: 'stopped' }
  /** The store can't be used now. */
  | { readonly type: 'unavailable'; readonly reason: string }
  /** Unforeseen: the same again may go well. */
  | { readonly type: 'broken'; readonly reason: string };

export type FromAnalyst =
  | { readonly type: 'ready' }
  | ({ readonly type: 'progress' } & AnalysisProgress)
  | RunOutcome;
