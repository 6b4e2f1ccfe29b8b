export { readHistory } from './history.ts';
export { registerPosture } from './routes.ts';
export {
  type DataType,
  dataTypes,
  deleteRuns,
  insertRun,
  type NewPosturePoint,
  readLastRun,
} from './store.ts';
