export { type ClientRow, findClient, findClientByName, insertClient, type NewClient } from './store.ts';
