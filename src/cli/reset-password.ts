import type { Command } from 'commander';
import { randomPassword } from '../features/auth/index.ts';
import {
  firstAdministratorName,
  forgetInitialPassword,
  PasswordError,
  resetPassword,
} from '../features/users/index.ts';
import { CommandError, exitCodes, printResult, tell } from './output.ts';
import { commandSettings, withSettings } from './settings.ts';
import { withStore } from './store.ts';

interface Options {
  readonly stdin?: boolean;
  readonly json?: boolean;
  readonly removeOneTimePassword?: boolean;
  readonly keepTokens?: boolean;
}

export function define(command: Command): void {
  command
    .argument('<name>')
    .option('--stdin', 'read the new password from standard input instead of making one up')
    .option(
      '--remove-one-time-password',
      'also stop asking for one-time passwords: the authenticator is lost',
    )
    .option('--keep-tokens', 'their API tokens stay usable, and suspended ones are usable again')
    .option('--json', 'print one JSON line');
  withSettings(command).action(async (name: string, options: Options) => {
    const settings = commandSettings(command);
    const given = options.stdin === true ? await readLine() : undefined;
    const password = given ?? randomPassword();
    await withStore(settings, async (deps) => {
      const found = await resetPassword(deps, name, password, options).catch((error: unknown) => {
        throw error instanceof PasswordError ? new CommandError(error.message, exitCodes.usage) : error;
      });
      if (!found) throw new CommandError(`there is no user ${name}`);
    });
    if (name === firstAdministratorName) forgetInitialPassword(settings.dataDir);
    if (given === undefined) printResult({ username: name, password }, password, options.json);
    else tell(`the password of ${name} is changed`);
  });
}

async function readLine(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 4096)
      throw new CommandError('the password on standard input is too long', exitCodes.usage);
  }
  return text.replace(/\r?\n$/, '');
}
