export { registerPosture } from './routes.ts';
export {
  type DataType,
  dataTypes,
  deleteRuns,
  hygieneTag,
  insertRun,
  type NewPosturePoint,
  readLastRun,
  seedTags,
  tierZeroTag,
} from './store.ts';
