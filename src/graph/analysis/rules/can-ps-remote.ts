import { localGroupGives } from '../local-groups.ts';

/** Remote Management Users. */
export const canPsRemote = localGroupGives(580);
