export { applyProvidersFile, ProvidersFileError } from './declared.ts';
export { registerSaml } from './routes.ts';
export { insertSamlProvider } from './store.ts';
