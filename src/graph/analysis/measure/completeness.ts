import { day } from '../../../values/time.ts';
import type { Estate } from '../estate.ts';
import type { Environments } from './environments.ts';

export interface Completeness {
  /** Windows computers that are in use. */
  readonly active: Int32Array;
  readonly withSessions: Int32Array;
  readonly withLocalGroups: Int32Array;
}

const usedWithin = 14 * day;
const sessionsScanned = 1;
const localGroupsScanned = 2;

/**
 * gap 6.2: of the enabled Windows computers that were seen within 14 days before their collection, how many could
 * really be asked for sessions and for local groups.
 */
export function completenessOf(estate: Estate, environments: Environments): Completeness {
  const zeros = () => new Int32Array(environments.ids.length);
  const [active, withSessions, withLocalGroups] = [zeros(), zeros(), zeros()];
  const count = (counts: Int32Array, environment: number) => {
    counts[environment] = (counts[environment] as number) + 1;
  };
  for (const computer of estate.nodesOf('Computer')) {
    const environment = environments.of[computer] as number;
    if (environment === -1 || !isActive(estate, computer)) continue;
    count(active, environment);
    const scanned = Number(estate.property(computer, scannedProperty) ?? 0);
    if ((scanned & sessionsScanned) !== 0) count(withSessions, environment);
    if ((scanned & localGroupsScanned) !== 0) count(withLocalGroups, environment);
  }
  return { active, withSessions, withLocalGroups };
}

/** What the store knows beside the properties: bits of what was scanned, and when it was collected. */
export const scannedProperty = '(scanned)';
export const collectedProperty = '(last collected)';

function isActive(estate: Estate, computer: number): boolean {
  const system = estate.property(computer, 'operatingsystem');
  const seen = estate.property(computer, 'lastlogontimestamp');
  const collected = estate.property(computer, collectedProperty);
  if (estate.property(computer, 'enabled') !== true) return false;
  if (typeof system !== 'string' || !system.toUpperCase().includes('WINDOWS')) return false;
  return typeof seen === 'number' && typeof collected === 'number' && seen * 1000 >= collected - usedWithin;
}
