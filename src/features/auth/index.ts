export { beginAttempt, failAttempt, forgetAttempt, tooManyFailures, tryPassword } from './attempts.ts';
export { createAuthenticator } from './authenticate.ts';
export { checkOneTimePassword, countPauses, tooManyCodes } from './one-time-limit.ts';
export { digestOf, passwordMatches, passwordProblems, randomPassword } from './passwords.ts';
export { administrator, roles, seedRoles } from './roles.ts';
export { registerAuth } from './routes.ts';
export {
  createSession,
  deleteSessionsOfClient,
  endSessionsOfClient,
  endSessionsOfProvider,
  endSessionsOfUser,
  sessionTasks,
} from './sessions.ts';
export { invalidOneTimePassword } from './sign-in.ts';
export { signInTasks } from './sign-in-sweep.ts';
export { type Audience, Tokens } from './tokens.ts';
export { newSeed, resealSeeds, sealSeed, seedPicture, useStep } from './totp.ts';
