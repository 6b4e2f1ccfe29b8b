import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../log.ts';
import { compareVersions, parseVersion, type Version } from './semver.ts';

export const communityTypes = ['sharphound', 'azurehound', 'openhound'] as const;
export const enterpriseTypes = ['sharphound_enterprise', 'azurehound_enterprise'] as const;
export const collectorTypes = [...communityTypes, ...enterpriseTypes] as const;
export type CollectorType = (typeof collectorTypes)[number];

/** One file that the operator has put there: `<type>/<type>-<version>[-<os>-<arch>].zip`. */
export interface Release {
  readonly type: CollectorType;
  readonly version: Version;
  readonly fileName: string;
  readonly path: string;
  readonly os: string;
  readonly arch: string;
  readonly sha256: string;
  readonly modifiedAt: number;
}

/** Left out: whatever comes first. */
export interface Platform {
  readonly os?: string;
  readonly arch?: string;
}

/** More files than anybody keeps; a folder with more was named by mistake. */
const maxFiles = 1000;
const knownSums = 1000;

/**
 * The collectors that can be downloaded here: whatever lies in the operator's folder now. A file whose checksum
 * differs from the `.sha256` beside it is damaged or not what it claims to be, and is not offered.
 */
export class Catalog {
  readonly #folder: string | undefined;
  readonly #log: Logger;
  /** By path, size and time of change: files of this size are not read again for every request. */
  readonly #sums = new Map<string, string>();

  constructor(folder: string | undefined, log: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Newest version first. */
  async releases(type: CollectorType): Promise<Release[]> {
    if (this.#folder === undefined) return [];
    const folder = join(this.#folder, type);
    const names = await readdir(folder).catch(noFolder);
    const releases: Release[] = [];
    for (const name of names.filter((name) => name.endsWith('.zip')).slice(0, maxFiles)) {
      const release = await this.#release(type, folder, name);
      if (release !== undefined) releases.push(release);
    }
    return releases.sort((a, b) => compareVersions(b.version, a.version) || compare(a.fileName, b.fileName));
  }

  /** `latest` is the newest that is no pre-release, or the newest at all. */
  async find(type: CollectorType, version: string, platform: Platform): Promise<Release | undefined> {
    const releases = (await this.releases(type)).filter(
      ({ os, arch }) => (platform.os ?? os) === os && (platform.arch ?? arch) === arch,
    );
    if (version === 'latest') return latestOf(releases);
    const wanted = parseVersion(version);
    return releases.find((release) => wanted !== undefined && compareVersions(release.version, wanted) === 0);
  }

  async #release(type: CollectorType, folder: string, fileName: string): Promise<Release | undefined> {
    const described = describe(type, fileName);
    const path = join(folder, fileName);
    const { size, mtimeMs, isFile } = await stat(path).then((found) => ({
      size: found.size,
      mtimeMs: found.mtimeMs,
      isFile: found.isFile(),
    }));
    if (described === undefined || !isFile) return undefined;
    const sha256 = await this.#sumOf(path, `${path}\n${size}\n${mtimeMs}`);
    const stated = await statedSum(`${path}.sha256`);
    if (stated !== undefined && stated !== sha256) {
      this.#log.warn({ path }, 'a collector is not offered: its checksum differs from the .sha256 beside it');
      return undefined;
    }
    return { type, ...described, fileName, path, sha256, modifiedAt: mtimeMs };
  }

  async #sumOf(path: string, key: string): Promise<string> {
    const known = this.#sums.get(key);
    if (known !== undefined) return known;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    const sum = hash.digest('hex');
    if (this.#sums.size >= knownSums) this.#sums.clear();
    this.#sums.set(key, sum);
    return sum;
  }
}

export function latestOf(releases: readonly Release[]): Release | undefined {
  return releases.find(({ version }) => version.prerelease === '') ?? releases[0];
}

function describe(
  type: CollectorType,
  fileName: string,
): Pick<Release, 'version' | 'os' | 'arch'> | undefined {
  const rest = fileName.slice(0, -'.zip'.length);
  if (!rest.startsWith(`${type}-`)) return undefined;
  const text = rest.slice(type.length + 1);
  const platform = /-(windows|linux|darwin)-([a-z0-9]+)$/.exec(text);
  const version = parseVersion(platform === null ? text : text.slice(0, platform.index));
  return version && { version, os: platform?.[1] ?? '', arch: platform?.[2] ?? '' };
}

/** The first word of the file, as sha256sum writes it. */
async function statedSum(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim().split(/\s+/)[0]?.toLowerCase();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function noFolder(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
