import { localGroupGives } from '../local-groups.ts';

/** Administrators. */
export const adminTo = localGroupGives(544);
