import { type Command, Option } from 'commander';
import { readSettings, type SettingFlags, type Settings, settingDescriptions } from '../config.ts';
import { isUtf8 } from './sparkline.ts';

/** A secret on a command line can be read by everyone on the machine, so only its file can be named there. */
const settingFlags = settingDescriptions.map(({ name, fileName, description, defaultText }) => {
  const setting = fileName !== undefined && name !== 'DATABASE_URL' ? fileName : name;
  const flag = `--${setting
    .replace(/^KENNEL_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`;
  return { setting, flag, description: `${description} (${setting}; default: ${defaultText})` };
});

/** Whether what is printed may have more than ASCII in it. */
export function printsUtf8(): boolean {
  return isUtf8(process.env);
}

/** Gives a command one flag per setting. */
export function withSettings(command: Command): Command {
  for (const { flag, description } of settingFlags)
    command.addOption(new Option(`${flag} <value>`, description));
  return command;
}

interface Exceptions {
  /** Win over flags and environment. */
  readonly overrides?: SettingFlags;
  /** Taken where nobody says otherwise. */
  readonly defaults?: SettingFlags;
  readonly ignore?: readonly string[];
}

/** The settings of a command: flags first, then the environment. */
export function commandSettings(
  command: Command,
  { overrides = {}, defaults = {}, ignore = [] }: Exceptions = {},
): Settings {
  const flags: Record<string, string> = {};
  for (const { setting, flag } of settingFlags) {
    const value: unknown = command.opts()[new Option(`${flag} <value>`).attributeName()];
    if (typeof value === 'string' && !ignore.includes(setting)) flags[setting] = value;
  }
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ignore.includes(name)));
  return readSettings({ ...defaults, ...env }, { ...flags, ...overrides });
}
