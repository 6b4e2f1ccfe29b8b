import { unlessClockHeld } from '../../clock-hold.ts';
import { Deadline } from '../../deadline.ts';
import type { Deps } from '../../deps.ts';
import type { Task } from '../../worker/worker.ts';
import { linkRecords, readHead } from './link.ts';
import { deleteOldRecords } from './retention.ts';
import { unlinkedLook } from './store.ts';

const hour = 3_600_000;
/** A shutdown does not wait longer for a store that is gone. */
const lastWordSeconds = 5;

export const auditTasks: readonly Task[] = [
  { name: 'link audit records', everyMs: 60_000, looks: [unlinkedLook], run: linkRecords },
  { name: 'log the audit head', everyMs: hour, run: logHead },
  { name: 'delete old audit records', everyMs: hour, run: unlessClockHeld(deleteOldRecords) },
];

/** The log is kept elsewhere: a head in it proves later that the records up to there were not cut off. */
export async function logHead({ db, keys, log }: Pick<Deps, 'db' | 'keys' | 'log'>): Promise<void> {
  const head = await readHead(db, keys);
  if (head !== undefined) log.info(head, 'audit log head');
}

/** The last thing before the stores are closed. */
export async function finishAudit(deps: Deps): Promise<void> {
  const bounded = { ...deps, db: deps.db.within(new Deadline(lastWordSeconds)) };
  try {
    await linkRecords(bounded);
    await logHead(bounded);
  } catch (error) {
    deps.log.error({ err: error }, 'the audit log could not be linked to its end: the next start does it');
  }
}
