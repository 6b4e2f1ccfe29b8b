export { registerIngest } from './routes.ts';
export { createSpool, type Spool } from './spool.ts';
export { ingestTasks, sweepSpool } from './sweep.ts';
