export { registerDownloads } from './routes.ts';
