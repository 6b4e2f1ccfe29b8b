import { StartError } from '../bootstrap.ts';
import { SettingsError } from '../config.ts';
import { SchemaError } from '../db/migrate.ts';
import { LockedError } from '../db/server-lock.ts';
import { AppError } from '../errors.ts';
import { PasswordError } from '../features/users/index.ts';
import { CommandError, exitCodes, tell } from './output.ts';
import { storeRefusal } from './refusals.ts';

/** Tells why a command failed, and answers its exit code: one plain line for what an operator can mend, a stack for what only we can. */
export function report(error: unknown): number {
  if (error instanceof SettingsError) {
    tell(
      `kennel: the settings are not valid:\n${error.problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    return exitCodes.usage;
  }
  if (error instanceof PasswordError) {
    tell(`kennel: KENNEL_ADMIN_PASSWORD: ${error.message}`);
    return exitCodes.usage;
  }
  if (error instanceof CommandError) {
    tell(`kennel: ${error.message}`);
    return error.exitCode;
  }
  if (
    error instanceof StartError ||
    error instanceof SchemaError ||
    error instanceof LockedError ||
    error instanceof AppError
  ) {
    tell(`kennel: ${error.message}`);
    return exitCodes.refused;
  }
  const reason = databaseRefusal(error);
  if (reason !== undefined) {
    tell(`kennel: the database refused the connection of DATABASE_URL: ${reason}`);
    return exitCodes.refused;
  }
  const refused = storeRefusal(error);
  if (refused !== undefined) {
    tell(`kennel: ${refused}`);
    return exitCodes.refused;
  }
  tell(`kennel: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return exitCodes.failure;
}

/** PostgreSQL's own words for a wrong name, password or database; the password is not among them. */
function databaseRefusal(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const isRefusal = typeof code === 'string' && (code.startsWith('28') || code === '3D000');
  return isRefusal ? String(message) : undefined;
}
