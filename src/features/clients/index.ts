import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import type { Tokens } from '../auth/index.ts';
import type { FeatureFlags } from '../feature-flags/index.ts';
import { registerReports } from './collector-routes.ts';
import { registerClientJobs } from './job-routes.ts';
import { registerOAuth } from './oauth-routes.ts';
import { registerClients } from './routes.ts';

export { countFailing } from './list.ts';

export function registerCollectors(
  register: Register,
  deps: Deps,
  flags: FeatureFlags,
  tokens: Tokens,
): void {
  registerClients(register, deps);
  registerReports(register, deps);
  registerClientJobs(register, deps);
  registerOAuth(register, deps, flags, tokens);
}
