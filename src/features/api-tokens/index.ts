export { registerApiTokens } from './routes.ts';
export { ApiToken, NewApiToken, tokenExample, toTokenView } from './schema.ts';
export { keyOwner, newKey, resealTokens, tokenEffects } from './service.ts';
export { createSignatureCheck, type SignedBy } from './signed-requests.ts';
export {
  allowTokens,
  deleteTokensOf,
  findForSigning,
  findTokensOfClients,
  insertToken,
  stampAccess,
  suspendTokens,
  suspendTokensOfProvider,
  type TokenRow,
} from './store.ts';
