export { registerApiTokens } from './routes.ts';
export { applyTokenExpiration, keyOwner, resealTokens } from './service.ts';
export { createSignatureCheck, type SignedBy } from './signed-requests.ts';
export { deleteTokensOf, insertToken } from './store.ts';
