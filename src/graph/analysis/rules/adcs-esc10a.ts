import { mappedByName, renamesUser } from '../certificates/by-victim.ts';
import type { Rule } from '../facts.ts';

/** Renames an account under control as another user, where certificates count by their name. */
export const adcsEsc10a: Rule = renamesUser(mappedByName);
