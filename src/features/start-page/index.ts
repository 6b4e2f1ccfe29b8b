export { registerStartPage } from './routes.ts';
