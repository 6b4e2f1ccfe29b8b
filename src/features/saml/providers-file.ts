import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Type, { type Static } from 'typebox';
import { Struct } from '../../http/schemas.ts';
import { bodyValidator } from '../../http/validation.ts';
import { decodeUtf8, JsonProblem, parseStrictJson } from '../../values/json.ts';
import { quoteShort } from '../../values/text.ts';
import { checkValidity, type Metadata, MetadataError, maxMetadataBytes, readMetadata } from './metadata.ts';
import { nameProblem, slugOf, tidyName } from './names.ts';
import type { NewProvider } from './provider.ts';
import { roleProblem } from './provider-form.ts';

const Entry = Struct({
  name: Type.String(),
  metadata_file: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.String()),
  auto_provision: Type.Optional(
    Struct({
      enabled: Type.Optional(Type.Boolean()),
      default_role_id: Type.Optional(Type.Integer()),
      role_provision: Type.Optional(Type.Boolean()),
    }),
  ),
});
type Entry = Static<typeof Entry>;

const validate = bodyValidator(Struct({ providers: Type.Array(Entry) }));
const maxFileBytes = 16 * 1024 * 1024;

/** One provider as the file states it, with the place in the file that its problems belong to. */
export interface DeclaredProvider extends NewProvider {
  readonly place: string;
  checkValidity(now: number): ReturnType<typeof checkValidity>;
}

/** Reads the whole file and what it names; every problem is added with its place. */
export function readProvidersFile(file: string, problems: string[]): DeclaredProvider[] {
  const entries = readEntries(file, problems);
  const bySlug = new Map<string, string>();
  const declared: DeclaredProvider[] = [];
  for (const [index, entry] of entries.entries()) {
    const place = `providers.${index}`;
    const name = tidyName(entry.name);
    const wrongName = nameProblem(name);
    if (wrongName !== undefined) problems.push(`${place}.name: ${wrongName}`);
    const other = bySlug.get(slugOf(name));
    if (other !== undefined) problems.push(`${place}.name: ${other} has the same name or address`);
    bySlug.set(slugOf(name), `${place}.name`);
    const autoProvision = readAutoProvision(entry, place, problems);
    const source = sourceOf(file, entry, place, problems);
    const metadata = source && readSource(source, problems);
    if (source === undefined || metadata === undefined) continue;
    declared.push({
      name,
      metadata,
      autoProvision,
      place: source.place,
      checkValidity: (now) => checkValidity(metadata, now),
    });
  }
  return declared;
}

function readEntries(file: string, problems: string[]): Entry[] {
  const bytes = readBytes(file, maxFileBytes, '', problems);
  if (bytes === undefined) return [];
  try {
    const { value } = parseStrictJson(decodeUtf8(bytes));
    const found = validate(value);
    problems.push(...found.map(({ message }) => message.replace('the body', 'the file')));
    return found.length > 0 ? [] : (value as { providers: Entry[] }).providers;
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    problems.push(`the file is not valid JSON: ${error.message.replace('the body', 'the file')}`);
    return [];
  }
}

function readAutoProvision({ auto_provision }: Entry, place: string, problems: string[]) {
  const { enabled = false, default_role_id, role_provision = false } = auto_provision ?? {};
  const member = `${place}.auto_provision.default_role_id`;
  if (default_role_id !== undefined) {
    const problem = roleProblem(default_role_id, String(default_role_id));
    if (problem !== undefined) problems.push(`${member}: ${problem}`);
  } else if (enabled) problems.push(`${member}: is required where auto provision is enabled`);
  return { enabled, defaultRoleId: default_role_id ?? null, roleProvision: role_provision };
}

interface Source {
  readonly place: string;
  readonly bytes: Uint8Array;
}

function sourceOf(file: string, entry: Entry, place: string, problems: string[]): Source | undefined {
  const { metadata, metadata_file } = entry;
  if ((metadata === undefined) === (metadata_file === undefined)) {
    problems.push(`${place}: must have either metadata_file or metadata`);
    return undefined;
  }
  if (metadata !== undefined) return { place: `${place}.metadata`, bytes: Buffer.from(metadata) };
  const path = resolve(dirname(file), metadata_file ?? '');
  const bytes = readBytes(path, maxMetadataBytes, `${place}.metadata_file: `, problems);
  return bytes && { place: `${place}.metadata_file: ${path}`, bytes };
}

function readSource({ place, bytes }: Source, problems: string[]): Metadata | undefined {
  try {
    return readMetadata(bytes);
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
    problems.push(...error.problems.map((problem) => `${place}: ${problem}`));
    return undefined;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this account may not read it',
  EISDIR: 'it is a directory',
};

function readBytes(path: string, most: number, prefix: string, problems: string[]): Uint8Array | undefined {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= most) return bytes;
    problems.push(`${prefix}${path} has ${bytes.length} bytes; it may have at most ${most}`);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = reasons[code] ?? (code === '' ? quoteShort(String(error)) : code);
    problems.push(`${prefix}${path} cannot be read: ${reason}`);
  }
  return undefined;
}
