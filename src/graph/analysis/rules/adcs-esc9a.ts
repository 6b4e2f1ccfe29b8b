import { renamesUser, withoutExtension } from '../certificates/by-victim.ts';
import type { Rule } from '../facts.ts';

/** Renames an account under control as another user, where certificates need not say whose they are. */
export const adcsEsc9a: Rule = renamesUser(withoutExtension);
