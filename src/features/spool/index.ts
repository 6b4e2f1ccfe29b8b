export {
  type ClaimedFile,
  claimFile,
  extendLease,
  hasWaiting,
  isSomethingRead,
  leaseMs,
  lockClaimed,
  releaseAll,
  releaseFile,
  retryFailed,
  waitingLook,
} from './claims.ts';
export { createSpool } from './create-spool.ts';
export { deleteIngestHistory, readIngestActivity } from './history.ts';
export { createIntake, type Intake } from './intake.ts';
export { failureWords, listResults, putResults, type ResultRow, type Tally, tallyFiles } from './results.ts';
export { registerIngest } from './routes.ts';
export type { Received, Spool } from './spool.ts';
export {
  hasOpenFiles,
  type IngestFileRow,
  insertIngestFile,
  listFiles,
  moveFiles,
  takeSpoolIds,
} from './store.ts';
export { ingestTasks, sweepSpool } from './sweep.ts';
