import type { Command } from 'commander';
import { commandLine } from '../caller.ts';
import { acceptClock, type ClockHold, describeHold, findClockHold } from '../clock-hold.ts';
import type { Deps } from '../deps.ts';
import { recordAudit } from '../features/audit/index.ts';
import { formatRfc3339 } from '../values/time.ts';
import { CommandError, printResult } from './output.ts';
import { commandSettings, withSettings } from './settings.ts';
import { withStore } from './store.ts';

export function define(command: Command): void {
  command
    .option('--accept-clock', "confirm that this machine's clock is right: what is old by it may be deleted")
    .option('--json', 'print one JSON line');
  withSettings(command).action(async (options: { acceptClock?: boolean; json?: boolean }) => {
    const accepts = options.acceptClock === true;
    const { hold, now } = await withStore(commandSettings(command), async (deps) => {
      const now = deps.clock();
      const hold = await findClockHold(deps.db, now);
      if (hold !== undefined && accepts) await accept(deps, hold);
      return { hold, now };
    });
    const isHeld = hold !== undefined && !accepts;
    printResult(
      {
        ok: !isHeld,
        clock: formatRfc3339(now),
        clock_held: isHeld,
        last_seen: hold === undefined ? null : formatRfc3339(hold.lastSeen),
      },
      hold === undefined
        ? `clock: ${formatRfc3339(now)}, as it should be${accepts ? '; there was nothing to confirm' : ''}`
        : accepts
          ? `clock: ${formatRfc3339(now)} is confirmed; what is old by it will be deleted within the hour`
          : `clock: ${formatRfc3339(now)}, last in use at ${formatRfc3339(hold.lastSeen)}`,
      options.json,
    );
    if (isHeld) throw new CommandError(describeHold(hold));
  });
}

function accept({ db }: Deps, { now, lastSeen }: ClockHold): Promise<void> {
  return db.transaction(async (db) => {
    await acceptClock(db, now);
    await recordAudit(db, commandLine, now, {
      action: 'AcceptClock',
      fields: { clock: { before: formatRfc3339(lastSeen), after: formatRfc3339(now) } },
    });
  });
}
