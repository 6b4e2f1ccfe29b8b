export { runReader } from './child.ts';
export { expiryTask } from './expiry.ts';
export { readNext, startReading } from './loop.ts';
export { readerCommand } from './messages.ts';
export { OwnReader } from './reader.ts';
export { settle, settleTask } from './settle.ts';
