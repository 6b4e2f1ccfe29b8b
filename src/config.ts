import { isLoopback } from './config/host.ts';
import { problemsWithNames } from './config/names.ts';
import type { Settings } from './config/settings.ts';
import { type Environment, findText, type Given, gatherGiven, type SettingFlags } from './config/source.ts';
import { type FieldRow, type RowValues, rows, table } from './config/table.ts';

export { describeSettings, type SettingsSummary } from './config/describe.ts';
export { isLoopback } from './config/host.ts';
export type { Settings } from './config/settings.ts';
export type { Environment, SettingFlags } from './config/source.ts';
export {
  type SettingDescription,
  type SettingName,
  settingDescriptions,
  settingNames,
} from './config/table.ts';

export class SettingsError extends Error {
  readonly problems: string[];

  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/** Flags win over the environment; throws a SettingsError that lists every problem at once. */
export function readSettings(env: Environment, flags: SettingFlags = {}): Settings {
  const given = gatherGiven(env, flags);
  const problems = problemsWithNames(Object.keys(given));
  const values = readRows(given, problems);
  problems.push(...problemsWithTls(given));
  if (problems.length > 0) throw new SettingsError(problems);

  const { tlsCert: certFile, tlsKey: keyFile, rateLimit, drainSeconds, ...plain } = values;
  return Object.freeze({
    ...plain,
    rateLimit: rateLimit ?? (isLoopback(plain.host) ? 0 : 500),
    drainSeconds: drainSeconds ?? (isLoopback(plain.host) ? 0 : 3),
    tls: certFile === undefined || keyFile === undefined ? undefined : Object.freeze({ certFile, keyFile }),
  });
}

/** The result is complete only when no problem was added. */
function readRows(given: Given, problems: string[]): RowValues {
  const values: Partial<Record<keyof RowValues, unknown>> = {};
  for (const row of rows) {
    const found = findText(row, given) ?? fallbackOf(row);
    if (found === undefined) values[row.field] = undefined;
    else if ('problem' in found) problems.push(found.problem);
    else {
      const parsed = row.rule.parse(found.text);
      if ('value' in parsed) values[row.field] = parsed.value;
      else problems.push(`${found.origin} ${parsed.wrong}; expected ${row.rule.expects}`);
    }
  }
  return values as RowValues;
}

function fallbackOf({ name, fallback }: FieldRow) {
  return fallback === undefined ? undefined : { text: fallback, origin: name };
}

function problemsWithTls(given: Given): string[] {
  const names = [table.tlsCert.name, table.tlsKey.name];
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length !== 1) return [];
  const present = names.filter((name) => given[name] !== undefined);
  return [`${present} is set without ${missing}; expected both or neither`];
}
