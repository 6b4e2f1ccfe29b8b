export { clearTask } from './clear.ts';
export { registerDataPipe } from './routes.ts';
export { findOpenClear } from './store.ts';
