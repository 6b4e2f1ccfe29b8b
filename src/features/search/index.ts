export { registerSearch } from './routes.ts';
