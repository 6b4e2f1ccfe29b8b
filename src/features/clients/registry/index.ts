export { insertClientError, listErrorsBetween } from './errors.ts';
export {
  type ClientRow,
  clientSelect,
  deleteClient,
  findClient,
  findClientByName,
  type Host,
  insertClient,
  lockClient,
  type NewClient,
  recordCheckin,
  updateClient,
} from './store.ts';
