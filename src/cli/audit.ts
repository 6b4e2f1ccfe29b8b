import type { Command } from 'commander';
import {
  describeRemovals,
  HeadError,
  type Link,
  readHead,
  type Verification,
  verifyLog,
} from '../features/audit/index.ts';
import { formatRfc3339 } from '../values/time.ts';
import { CommandError, exitCodes, printResult, tell } from './output.ts';
import { commandSettings, withSettings } from './settings.ts';
import { withStore } from './store.ts';

export function define(audit: Command): void {
  const head = audit
    .command('head')
    .description('Print the head of the chain, POSITION:MAC, to be noted down elsewhere')
    .option('--json', 'print one JSON line');
  withSettings(head).action(async (options: { json?: boolean }) => {
    const found = await withStore(commandSettings(head), ({ db, keys }) => readHead(db, keys)).catch(
      (error: unknown) => {
        throw error instanceof HeadError ? new CommandError(error.message) : error;
      },
    );
    if (found === undefined) {
      throw new CommandError('no record of the audit log is linked yet: a running server does that');
    }
    printResult({ ...found }, written(found), options.json);
  });

  const verify = audit
    .command('verify')
    .description('Check the whole audit log against its chain; a server may be running')
    .option('--head <position:mac>', 'a head that was noted down earlier: nothing up to it may be missing')
    .option('--json', 'print one JSON line');
  withSettings(verify).action(async (options: { head?: string; json?: boolean }) => {
    const given = options.head === undefined ? undefined : parseHead(options.head);
    const progress = new Progress();
    const result = await withStore(commandSettings(verify), (deps) =>
      verifyLog(deps, { head: given, onProgress: (checked, total) => progress.show(checked, total) }),
    ).finally(() => progress.clear());
    report(result, options.json);
  });
}

/** The newest days on which retention removed something. */
const mostRemovals = 1000;

function parseHead(text: string): Link {
  const [, position = '', mac = ''] = /^([1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (mac === '') {
    throw new CommandError(
      '--head must be POSITION:MAC as `kennel audit head` prints it: a number, a colon and 64 hexadecimal digits',
      exitCodes.usage,
    );
  }
  return { position: Number(position), mac };
}

function report(result: Verification, asJson: boolean | undefined): void {
  const { deletedUpTo, removals, last, checked, unknown, unlinked, findings, findingCount, notes } = result;
  printResult(
    {
      ok: findingCount === 0 && unknown === undefined,
      first_position: deletedUpTo + 1,
      last_position: last.position,
      head: last.position === 0 ? null : written(last),
      checked,
      unknown_key: unknown?.count ?? 0,
      unknown_key_positions: unknown === undefined ? null : { from: unknown.from, to: unknown.to },
      not_linked_yet: unlinked,
      removed_by_retention: removals.slice(-mostRemovals).map((removal) => ({
        from: removal.from_position,
        to: removal.to_position,
        oldest: formatRfc3339(removal.oldest_at),
        newest: formatRfc3339(removal.newest_at),
        removed_at: formatRfc3339(removal.removed_at),
        retention_days: removal.retention_days,
      })),
      finding_count: findingCount,
      findings,
      notes,
    },
    [
      ...findings.map(({ message }) => message),
      ...(findingCount > findings.length ? [`… and ${findingCount - findings.length} more`] : []),
      ...notes,
      ...[describeRemovals(removals)].filter((line) => line !== undefined),
      ...(unknown === undefined
        ? []
        : [`positions ${unknown.from} to ${unknown.to} were linked with a secret that was not given`]),
      `checked ${checked} records, positions ${deletedUpTo + 1} to ${last.position}; not linked yet: ${unlinked}`,
      ...(last.position === 0 ? [] : [`head ${written(last)}`]),
    ],
    asJson,
  );
  if (findingCount > 0) {
    throw new CommandError('the audit log is not as it was written', exitCodes.tampered);
  }
  if (unknown !== undefined) {
    throw new CommandError(
      `${unknown.count} records were linked with another secret and could not be checked: give it as KENNEL_SECRET_PREVIOUS`,
      exitCodes.unproven,
    );
  }
}

function written({ position, mac }: Link): string {
  return `${position}:${mac}`;
}

/** One line that is written over, on a terminal only. */
class Progress {
  #shown = false;

  show(checked: number, total: number): void {
    if (process.stderr.isTTY !== true || checked >= total) return;
    process.stderr.write(`\r${checked} of about ${total} records`);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) tell('');
  }
}
