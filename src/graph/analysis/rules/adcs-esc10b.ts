import { mappedByName, renamesComputer } from '../certificates/by-victim.ts';
import type { Rule } from '../facts.ts';

/** Gives a computer under control the DNS name of another, where certificates count by their name. */
export const adcsEsc10b: Rule = renamesComputer(mappedByName);
