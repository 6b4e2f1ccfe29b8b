export { registerJobs } from './routes.ts';
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
