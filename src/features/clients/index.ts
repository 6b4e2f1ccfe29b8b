export {
  type ClientRow,
  findClient,
  findClientByName,
  insertClient,
  type NewClient,
  recordCheckin,
} from './store.ts';
