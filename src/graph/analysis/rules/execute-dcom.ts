import { localGroupGives } from '../local-groups.ts';

/** Distributed COM Users. */
export const executeDcom = localGroupGives(562);
