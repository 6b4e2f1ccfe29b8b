import { readFileSync } from 'node:fs';
import { type FieldRow, rows, type SecretFileName, type SettingName, table } from './table.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type SettingFlags = Readonly<Partial<Record<SettingName | SecretFileName, string | undefined>>>;

export interface GivenText {
  readonly text: string;
  /** How a problem with the text names its origin. */
  readonly origin: string;
}

export type Found = GivenText | { readonly problem: string } | undefined;

/** Variables and flags that count as set, by variable name. */
export type Given = Readonly<Record<string, string>>;

export function gatherGiven(env: Environment, flags: SettingFlags): Given {
  const flagged = withoutEmpty(flags);
  const merged = { ...withoutKubernetesAddress(withoutEmpty(env)), ...flagged };
  for (const { name, fileName } of rows) {
    if (fileName === undefined) continue;
    // A flag overrides the setting however the environment gives it, so the two forms do not clash.
    if (name in flagged && !(fileName in flagged)) delete merged[fileName];
    if (fileName in flagged && !(name in flagged)) delete merged[name];
  }
  return merged;
}

/** docker compose hands over a variable that is not set as an empty string. */
function withoutEmpty(variables: Environment): Record<string, string> {
  const entries = Object.entries(variables);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** For a service called kennel, Kubernetes gives every pod KENNEL_PORT=tcp://address:port. */
function withoutKubernetesAddress(variables: Record<string, string>): Record<string, string> {
  const { [table.port.name]: port, ...others } = variables;
  return port?.startsWith('tcp://') ? others : variables;
}

export function findText(row: FieldRow, given: Given): Found {
  const text = given[row.name];
  const path = row.fileName === undefined ? undefined : given[row.fileName];
  if (path === undefined) return text === undefined ? undefined : { text, origin: row.name };
  if (text === undefined) return readSecretFile(`${row.fileName}`, path);
  return { problem: `${row.name} and ${row.fileName} are both set; expected only one of them` };
}

function readSecretFile(variable: string, path: string): Found {
  const origin = `${variable} (${path})`;
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
    const text = content.replace(/\r?\n$/, '');
    if (text !== '') return { text, origin: `The content of ${origin}` };
    return { problem: `${origin} is empty; expected a file that holds the value` };
  } catch (error) {
    return { problem: `${origin} cannot be read: ${reasonOf(error)}; expected a readable text file` };
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Node appends the system call and the path, as in "ENOENT: no such file or directory, open '…'".
  return message.split(', ')[0] ?? message;
}
