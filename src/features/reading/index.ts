export { expiryTask } from './expiry.ts';
export { readNext, startReading } from './loop.ts';
export { OwnReader } from './reader.ts';
export { settle, settleTask } from './settle.ts';
