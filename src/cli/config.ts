import type { Command } from 'commander';
import { commandLine } from '../caller.ts';
import { describeSettings } from '../config.ts';
import { AppError } from '../errors.ts';
import { tokenEffects } from '../features/api-tokens/index.ts';
import { setParameter } from '../features/app-config/index.ts';
import { JsonProblem, parseStrictJson } from '../values/json.ts';
import { CommandError, exitCodes, printResult } from './output.ts';
import { commandSettings, withSettings } from './settings.ts';
import { withStore } from './store.ts';

export function define(config: Command): void {
  const check = config
    .command('check')
    .description('Check the settings and print them, secrets hidden')
    .option('--json', 'print one JSON line');
  withSettings(check).action((options: { json?: boolean }) => {
    const summary = describeSettings(commandSettings(check));
    const lines = Object.entries(summary).map(([name, value]) => `${name.padEnd(16)} ${plain(value)}`);
    printResult(summary, lines, options.json);
  });

  const set = config
    .command('set <key> <json>')
    .description(
      'Write a configuration parameter, protected ones included; a running server follows within a second',
    )
    .option('--json', 'print one JSON line');
  withSettings(set).action(async (key: string, json: string, options: { json?: boolean }) => {
    const value = parseValue(json);
    const stored = await withStore(commandSettings(set), (deps) =>
      setParameter(deps, deps.db, commandLine, { key, value }, tokenEffects, { allowProtected: true }),
    ).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'bad_request') throw error;
      throw new CommandError(error.problems.map((problem) => problem.message).join('\n'), exitCodes.usage);
    });
    printResult(stored, `${stored.key} = ${JSON.stringify(stored.value)}`, options.json);
  });
}

function parseValue(json: string): unknown {
  try {
    return parseStrictJson(json).value;
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw new CommandError(`the value is not valid JSON: ${error.message}`, exitCodes.usage);
  }
}

function plain(value: unknown): string {
  if (value === null) return '(not set)';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
