import { randomUUID } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import type { FileResult, Progress } from '../../graph/ingest/result.ts';
import type { Pulse } from '../../worker/pulse.ts';
import { type SteadyWork, startSteadyWork } from '../../worker/steady-work.ts';
import type { Worker } from '../../worker/worker.ts';
import { findOpenClear } from '../data-pipe/index.ts';
import {
  claimFile,
  extendLease,
  hasWaiting,
  type IngestFileRow,
  releaseAll,
  waitingLook,
} from '../spool/index.ts';
import { ChildReader } from './child-reader.ts';
import { finishFile } from './finish.ts';
import type { FileReader } from './reader.ts';
import { settle } from './settle.ts';

const beatEveryMs = 1000;
/** A reading process that has nothing to do holds memory. */
const idleMs = 30_000;

export interface Watch {
  readonly uploadId?: number;
  onStart?(file: IngestFileRow): void;
  onProgress?(file: IngestFileRow, progress: Progress): void;
  onEnd?(file: IngestFileRow, results: readonly FileResult[]): void;
}

/** Reads the next file that waits; false when there is none, or none may be read now. */
export async function readNext(
  deps: Deps,
  reader: FileReader,
  name: string,
  watch: Watch = {},
): Promise<boolean> {
  const { db, clock, log } = deps;
  const isAlone = deps.settings.databaseUrl === undefined;
  // A file that is read between two steps of a deletion would lose a part of what it says.
  if ((await findOpenClear(deps.graph)) !== undefined) return false;
  if ((await reader.open()) && isAlone) await releaseAll(db);
  const file = await claimFile(db, name, clock(), watch.uploadId);
  if (file === undefined) return false;
  watch.onStart?.(file);
  let progress: Progress = { bytes: 0, records: 0 };
  let isUnavailable = false;
  const beat = setInterval(() => {
    extendLease(db, file, name, progress, clock()).then(
      (isOwn) => {
        if (!isOwn) reader.stop();
      },
      (error: unknown) => log.warn({ err: error, file_id: file.id }, 'a lease could not be extended'),
    );
  }, beatEveryMs);
  try {
    const outcome = await reader.read(file, (now) => {
      progress = now;
      watch.onProgress?.(file, now);
    });
    clearInterval(beat);
    isUnavailable = outcome.kind === 'unavailable';
    if (outcome.kind === 'broken')
      log.error({ file_id: file.id, reason: outcome.reason }, 'reading a file broke off');
    const results = await finishFile(deps, file, name, outcome);
    watch.onEnd?.(file, results);
  } finally {
    clearInterval(beat);
  }
  await settle(deps);
  if (isUnavailable) throw new AppError('unavailable', 'the graph store can not be written now');
  return true;
}

/** Reads whatever waits, in a process of its own, until it is stopped. */
export function startReading(deps: Deps, pulse: Pick<Pulse, 'watch'>): Worker {
  if (!deps.settings.readFiles) return { stop: async () => {} };
  const reader = new ChildReader(deps);
  const name = randomUUID();
  const isAlone = deps.settings.databaseUrl === undefined;
  let idleSince = performance.now();
  const work: SteadyWork = {
    looks: [waitingLook],
    turn: async (isStopped) => {
      if (await hasWaiting(deps.db, deps.clock(), isAlone)) {
        while (!isStopped() && (await readNext(deps, reader, name)));
        idleSince = performance.now();
      } else if (performance.now() - idleSince > idleMs) await reader.close();
    },
    failed: (error) => deps.log.error({ err: error }, 'reading files failed'),
    stopProcess: () => reader.stop(),
    closeProcess: () => reader.close(),
  };
  return startSteadyWork(work, pulse);
}
