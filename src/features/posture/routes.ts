import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { registerDiff } from './diff-routes.ts';
import { registerHistory } from './history-routes.ts';
import { registerStats } from './stats-routes.ts';

export function registerPosture(register: Register, deps: Deps): void {
  registerHistory(register, deps);
  registerStats(register, deps);
  registerDiff(register, deps);
}
