import { Gate } from '../../db/gate.ts';
import { Deadline } from '../../deadline.ts';
import { AppError } from '../../errors.ts';

/** gap 8.1: no more hashes than this at a time; each costs a core and 19 MiB. */
const maxConcurrent = 4;
/** Whoever comes when this many wait already would wait for seconds, and is told so at once. */
const maxWaiting = 256;

const gate = new Gate(maxConcurrent);

/** Runs work with a password when its turn has come: in the order of asking, within the deadline. */
export async function inTurn<T>(deadline: Deadline | undefined, work: () => Promise<T>): Promise<T> {
  if (gate.waiting >= maxWaiting) {
    throw new AppError('unavailable', 'too many passwords are being checked at once', {
      retryAfterSeconds: 5,
    });
  }
  await gate.enter(deadline ?? new Deadline());
  try {
    return await work();
  } finally {
    gate.leave();
  }
}
