export { registerAttackPaths } from './routes.ts';
