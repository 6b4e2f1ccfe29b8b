export { beginAttempt, forgetAttempt } from './attempts.ts';
export { createAuthenticator } from './authenticate.ts';
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
export { type Audience, Tokens } from './tokens.ts';
export { newSeed, resealSeeds, sealSeed, seedPicture, stepOfCode, unsealSeed, useStep } from './totp.ts';
