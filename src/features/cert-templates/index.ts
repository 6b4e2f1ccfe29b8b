export { registerCertTemplates } from './routes.ts';
