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

/** Data goes to standard output, as one JSON line where that is asked for. */
export function printResult(
  result: Record<string, unknown>,
  text: string,
  asJson: boolean | undefined,
): void {
  process.stdout.write(`${asJson === true ? JSON.stringify(result) : text}\n`);
}

/** Messages for people go to standard error. */
export function tell(message: string): void {
  process.stderr.write(`${message}\n`);
}
