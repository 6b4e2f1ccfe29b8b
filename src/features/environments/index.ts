export { registerEnvironments } from './routes.ts';
