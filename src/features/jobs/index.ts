export { countRead } from './arrived.ts';
export { cancelJobs } from './cancel-many.ts';
export { type Collection, clientTypes, collectionMembers, readCollection } from './collection.ts';
export { lockJobOfCollector, recordIngest } from './collector.ts';
export { isSigning, mustBeCollector } from './collector-routes.ts';
export { createJob } from './create.ts';
export { jobDisplayExample } from './examples.ts';
export { displayOf, families, hydrationMembers } from './family-routes.ts';
export {
  analysisFailed,
  awaitAnalysis,
  findJobsUnderWay,
  finishAnalyzing,
  finishIngesting,
  jobsUnderWayLook,
  lockJobUnderWay,
} from './ingested.ts';
export { type Hydration, jobList, onlyFinished, readJobDisplays, resultsByJob } from './list.ts';
export { registerJobs } from './routes.ts';
export { JobDisplay, LiveJob, TaskDomain, TaskOu, toLiveView } from './schema.ts';
export { readScopes, type Scope } from './scope.ts';
export { noteSign } from './signs.ts';
export { isOver, type JobStatus, jobStatus, statusWords } from './states.ts';
export {
  type CollectionFlag,
  collectionFlags,
  countAbandoned,
  findJob,
  findRunningJobOf,
  hasJobsIn,
  insertDomainResults,
  insertJob,
  type JobRow,
  jobSelect,
  lockReadyJobOfEvent,
  type NewJob,
} from './store.ts';
export { createTimeOutTask } from './time-outs.ts';
