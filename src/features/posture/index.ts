export { registerPosture } from './routes.ts';
export {
  type DataType,
  dataTypes,
  hygieneTag,
  insertRun,
  type NewPosturePoint,
  seedTags,
  tierZeroTag,
} from './store.ts';
