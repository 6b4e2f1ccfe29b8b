export { cancelJobs } from './cancel-many.ts';
export { type Collection, clientTypes, collectionMembers, readCollection } from './collection.ts';
export { lockJobOfCollector, recordIngest } from './collector.ts';
export { type Assignment, createJob } from './create.ts';
export { registerJobs } from './routes.ts';
export { JobDisplay, JobWithStatus, LiveJob, toLiveView } from './schema.ts';
export { type JobStatus, jobStatus, statusWords } from './states.ts';
export {
  findJob,
  findRunningJobOf,
  insertDomainResults,
  insertJob,
  type JobRow,
  type NewDomainResult,
  type NewJob,
} from './store.ts';
