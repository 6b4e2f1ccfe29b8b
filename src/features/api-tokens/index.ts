export { registerApiTokens } from './routes.ts';
export { ApiToken, NewApiToken, tokenExample, toTokenView } from './schema.ts';
export { applyTokenExpiration, keyOwner, newKey, resealTokens } from './service.ts';
export { createSignatureCheck, type SignedBy } from './signed-requests.ts';
export {
  deleteTokensOf,
  findForSigning,
  findTokensOfClients,
  insertToken,
  stampAccess,
  type TokenRow,
} from './store.ts';
