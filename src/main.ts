import { Command, CommanderError } from 'commander';
import { StartError } from './bootstrap.ts';
import { addAnalyze } from './cli/analyze.ts';
import { addAudit } from './cli/audit.ts';
import { addConfig } from './cli/config.ts';
import { addDemo } from './cli/demo.ts';
import { addExport } from './cli/export.ts';
import { addIngest } from './cli/ingest.ts';
import { addMigrate } from './cli/migrate.ts';
import { addOpenApi } from './cli/openapi.ts';
import { CommandError, exitCodes, tell } from './cli/output.ts';
import { addPosture } from './cli/posture.ts';
import { addReadFiles } from './cli/read-files.ts';
import { addResetPassword } from './cli/reset-password.ts';
import { addServe } from './cli/serve.ts';
import { addToken } from './cli/token.ts';
import { SettingsError } from './config.ts';
import { SchemaError } from './db/migrate.ts';
import { LockedError } from './db/server-lock.ts';
import { AppError } from './errors.ts';
import { PasswordError } from './features/users/index.ts';
import { version } from './version.ts';

const program = new Command('kennel')
  .description('Self-hosted management server for graph-based identity-security analysis')
  .version(version)
  .exitOverride()
  .showHelpAfterError('(add --help for the options)');
addServe(program);
addDemo(program);
addToken(program);
addResetPassword(program);
addMigrate(program);
addConfig(program);
addAudit(program);
addExport(program);
addOpenApi(program);
addIngest(program);
addReadFiles(program);
addAnalyze(program);
addPosture(program);
for (const command of program.commands) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** One plain line for what an operator can mend, a stack for what only we can. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
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
  tell(`kennel: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return exitCodes.failure;
}

/** PostgreSQL's own words for a wrong name, password or database; the password is not among them. */
function databaseRefusal(error: unknown): string | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const isRefusal = typeof code === 'string' && (code.startsWith('28') || code === '3D000');
  return isRefusal ? String(message) : undefined;
}
