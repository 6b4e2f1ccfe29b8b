export { listMeasured, type MeasuredEnvironment } from './environments.ts';
export { percentTypes, readHistory } from './history.ts';
export { postureTasks } from './retention.ts';
export { registerPosture } from './routes.ts';
export {
  type CheckedNodes,
  type DataType,
  dataTypes,
  deleteRuns,
  insertRun,
  type NewPosturePoint,
  readChecked,
  readLastRun,
} from './store.ts';
