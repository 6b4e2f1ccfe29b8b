export {
  ensureAdministrator,
  firstAdministratorName,
  forgetInitialPassword,
  initialPasswordFile,
  PasswordError,
  resetPassword,
} from './administrators.ts';
export { userExample } from './examples.ts';
export { registerPeople } from './people-routes.ts';
export { registerSelf } from './routes.ts';
export { ContractUser, Permission, Role, toContractUser, toUserView, User } from './schema.ts';
export { registerSecrets } from './secret-routes.ts';
export { putSecret } from './secret-store.ts';
export { keepAnAdministrator, lockAdministrators, readRoleViews } from './service.ts';
export {
  countAbleAdministrators,
  detachFromProvider,
  findUser,
  findUserByName,
  insertUser,
  listUsersOfProvider,
  type NewUser,
} from './store.ts';
