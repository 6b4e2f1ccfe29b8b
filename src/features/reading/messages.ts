import type { FileResult, Progress } from '../../graph/ingest/result.ts';
import type { StoreSettings } from '../../worker/child-process.ts';
import type { FileLimits } from './limits.ts';
import type { ReadableFile } from './read-file.ts';

export type ToReader =
  | { readonly type: 'open'; readonly settings: StoreSettings; readonly limits: FileLimits }
  | { readonly type: 'read'; readonly file: ReadableFile }
  | { readonly type: 'stop' };

export type FromReader =
  | { readonly type: 'ready' }
  | ({ readonly type: 'progress' } & Progress)
  | { readonly type: 'read'; readonly results: readonly FileResult[] }
  | { readonly type: 'stopped'; readonly results: readonly FileResult[] }
  | { readonly type: 'broken' | 'unavailable'; readonly reason: string };
