import { onItsLines, onOneLine } from '../values/text.ts';

/** Exit codes of every command; documented in docs/operations.md. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  refused: 3,
  tampered: 4,
  unproven: 5,
  unread: 6,
} as const;

/** Ends a command with a message on standard error and no stack. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Data goes to standard output, as one JSON line where that is asked for. Text with names that others have chosen is
 * given as lines: a line break in a name starts none.
 */
export function printResult(
  result: Record<string, unknown>,
  text: string | readonly string[],
  asJson: boolean | undefined,
): void {
  const lines = typeof text === 'string' ? text.split('\n') : text;
  // JSON has escapes of its own for what is left.
  const shown = asJson === true ? onOneLine(JSON.stringify(result)) : lines.map(onOneLine).join('\n');
  process.stdout.write(`${shown}\n`);
}

/** Messages for people go to standard error. */
export function tell(message: string): void {
  process.stderr.write(`${onItsLines(message)}\n`);
}
