import { StartError } from '../bootstrap.ts';
import type { Deps } from '../deps.ts';
import { applyProvidersFile, ProvidersFileError } from '../features/saml/index.ts';

/** Applies the file of KENNEL_PROVIDERS_FILE before the first request; a bad one stops the start. */
export async function declareProviders(deps: Deps): Promise<void> {
  try {
    await applyProvidersFile(deps, deps.settings.providersFile);
  } catch (error) {
    throw error instanceof ProvidersFileError ? new StartError(error.message) : error;
  }
}
