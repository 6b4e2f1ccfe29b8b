export {
  ensureAdministrator,
  firstAdministratorName,
  PasswordError,
  resetPassword,
} from './administrators.ts';
export { userExample } from './examples.ts';
export { registerSelf } from './routes.ts';
export { toUserView, User } from './schema.ts';
export { keepAnAdministrator, lockAdministrators, readRoleViews } from './service.ts';
export {
  detachFromProvider,
  findUser,
  findUserByName,
  insertUser,
  type NewUser,
  putSecret,
  type UserRow,
} from './store.ts';
