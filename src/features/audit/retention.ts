import { serverItself } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { day } from '../../values/time.ts';
import { sealMark, start, usableAnchor } from './chain.ts';
import { ChainCheck } from './check.ts';
import { refuseNewerSecret } from './link.ts';
import { recordAudit } from './record.ts';
import { accountFor } from './removals.ts';
import { deleteLinked, findMark, lockChain, putMark, readLinked } from './store.ts';

const stepSize = 500;
const stepsPerRun = 20;
/** What was wrong with deleted records is kept in the record of their deletion, but not without end. */
const maxProblems = 20;

type RetentionDeps = Pick<Deps, 'db' | 'keys' | 'log' | 'clock' | 'settings'>;

/**
 * Deletes what is older than the operator wants to keep, from the front of the chain only. It is a setting of
 * the process and no parameter of the API: a stolen administrator's token must not shorten the record.
 */
export async function deleteOldRecords(deps: RetentionDeps): Promise<void> {
  const days = deps.settings.auditRetentionDays;
  if (days === 0) return;
  // By whole days: an hourly run would write an hourly record of what it deleted.
  const before = (Math.floor(deps.clock() / day) - days) * day;
  for (let step = 0; step < stepsPerRun; step += 1) {
    if ((await deleteStep(deps, before, days)) < stepSize) return;
  }
}

function deleteStep({ db, keys, log, clock }: RetentionDeps, before: number, days: number): Promise<number> {
  return db.transaction(async (db) => {
    await lockChain(db);
    await refuseNewerSecret(db, keys, 'head', 'anchor');
    const mark = await findMark(db, 'anchor');
    const usable = usableAnchor(keys, mark);
    const anchor = usable ?? start;
    const check = new ChainCheck(keys, anchor);
    const rows = await readLinked(db, anchor.position, Number.MAX_SAFE_INTEGER, stepSize);
    const young = rows.findIndex((row) => row.created_at >= before);
    const old = young < 0 ? rows : rows.slice(0, young);
    const [first, last] = [old[0], old.at(-1)];
    if (first === undefined || last === undefined) return 0;

    // Once they are gone nobody can check them, so it is done now.
    const problems = old.flatMap((row) => check.next(row).map(({ message }) => message));
    if (mark !== usable) problems.unshift('the anchor at the start of the log is not genuine');
    const [from, to] = [Number(first.position), Number(last.position)];
    const count = await deleteLinked(db, from, to);
    const times = old.map((row) => row.created_at);
    await accountFor(db, keys, {
      from_position: anchor.position + 1,
      to_position: to,
      mac: last.mac,
      oldest_at: Math.min(...times),
      newest_at: Math.max(...times),
      removed_at: clock(),
      retention_days: days,
    });
    await putMark(db, 'anchor', sealMark(keys, 'anchor', { position: to, mac: last.mac }));
    await recordAudit(db, serverItself, clock(), {
      action: 'DeleteOldAuditRecords',
      fields: {
        positions: { from, to },
        count,
        retention_days: days,
        // Linked with a secret that is not given any more.
        unproven_count: check.unknown?.count ?? 0,
        problem_count: problems.length,
        problems: problems.slice(0, maxProblems),
      },
    });
    db.afterCommit(() => {
      const facts = { from, to, count };
      if (problems.length === 0) log.info(facts, 'deleted old records of the audit log');
      else
        log.error(
          { ...facts, problems: problems.slice(0, maxProblems) },
          'deleted damaged old audit records',
        );
    });
    return count;
  });
}
