export { createAuthenticator } from './authenticate.ts';
export { digestOf, passwordProblems, randomPassword } from './passwords.ts';
export { administrator, roles, seedRoles } from './roles.ts';
export { registerAuth } from './routes.ts';
export { createSession, endSessionsOfProvider, endSessionsOfUser } from './sessions.ts';
export { type Audience, Tokens } from './tokens.ts';
