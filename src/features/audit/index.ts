export type { Link } from './chain.ts';
export type { Finding } from './check.ts';
export { beginChain, HeadError, readHead, resealMarks } from './link.ts';
export { changesBetween, recordAudit } from './record.ts';
export { registerAudit } from './routes.ts';
export { auditTasks, finishAudit } from './tasks.ts';
export { type Verification, verifyLog } from './verify.ts';
