import { renamesComputer, withoutExtension } from '../certificates/by-victim.ts';
import type { Rule } from '../facts.ts';

/** Gives a computer under control the DNS name of another, where certificates need not say whose they are. */
export const adcsEsc9b: Rule = renamesComputer(withoutExtension);
