export { applyProvidersFile, ProvidersFileError } from './declared.ts';
export { registerSaml } from './routes.ts';
export { insertSamlProvider, type NewSamlProvider } from './store.ts';
