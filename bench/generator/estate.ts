import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeGroup, makeUser } from './accounts.ts';
import { makeAia, makeAuthority, makePolicy, makeRoot, makeStore, makeTemplate } from './certificates.ts';
import { CollectorFile } from './collector-file.ts';
import { makeComputer } from './computers.ts';
import type { Domain } from './domain.ts';
import { mostDomains, planDomains } from './plan.ts';
import { makeContainer, makeDomain, makeGpo, makeOu } from './structure.ts';
import { makeWellKnownGroups } from './well-known.ts';

export interface EstateOptions {
  /** Made if it is not there. */
  readonly folder: string;
  /** About so many; at least a hundred for each domain. */
  readonly objects: number;
  readonly seed?: number;
  /** Another one has the same objects with other members, sessions, rights and properties. */
  readonly generation?: number;
  readonly domains?: number;
  /** Files with more are written in several parts. */
  readonly objectsPerFile?: number;
  onProgress?(objects: number): void;
}

export interface WrittenEstate {
  /** In an order in which a collector could have written them. */
  readonly files: readonly string[];
  readonly objects: number;
  readonly bytes: number;
  readonly domains: readonly Domain[];
}

/**
 * Writes down an estate as a collector would: several domains that trust each other, with people, groups in groups,
 * computers, OUs, policies and certificate services, some of them careless. The same options give the same bytes.
 */
export async function writeEstate(options: EstateOptions): Promise<WrittenEstate> {
  const { folder, objects, seed = 1, generation = 0, domains = objects < 1000 ? 2 : 3 } = options;
  const { objectsPerFile = Number.POSITIVE_INFINITY, onProgress } = options;
  if (domains < 1 || domains > mostDomains)
    throw new Error(`domains must be from 1 to ${mostDomains}, but is ${domains}`);
  await mkdir(folder, { recursive: true });
  const plan = planDomains(objects, domains, seed, generation);
  const files: string[] = [];
  let [written, bytes] = [0, 0];
  for (const domain of plan) {
    const others = plan.filter((other) => other !== domain);
    for (const [type, content] of Object.entries(contentOf(domain, others))) {
      let file: CollectorFile | undefined;
      const end = async () => {
        await file?.end();
        bytes += file?.bytes ?? 0;
        file = undefined;
      };
      let part = 0;
      for (const object of content) {
        if (file === undefined) {
          const path = join(folder, `${domain.index}_${type}${part === 0 ? '' : `_${part}`}.json`);
          files.push(path);
          file = await CollectorFile.create(path, type);
          part += 1;
        }
        await file.add(object);
        written += 1;
        if (written % 1000 === 0) onProgress?.(written);
        if (file.objects >= objectsPerFile) await end();
      }
      await end();
    }
  }
  onProgress?.(written);
  return { files, objects: written, bytes, domains: plan };
}

/** One file of users that has at least so many bytes. */
export async function writeUsers(
  path: string,
  bytes: number,
  { seed = 1, onProgress }: Pick<EstateOptions, 'seed' | 'onProgress'> = {},
): Promise<{ objects: number; bytes: number }> {
  const about = Math.ceil(bytes / 2000);
  const [domain] = planDomains(about * 2, 1, seed);
  if (domain === undefined) throw new Error('an estate has a domain');
  const file = await CollectorFile.create(path, 'users');
  for (let n = 0; file.bytes < bytes; n += 1) {
    await file.add(makeUser(domain, n));
    if (n % 1000 === 0) onProgress?.(file.bytes);
  }
  await file.end();
  return { objects: file.objects, bytes: file.bytes };
}

function contentOf(domain: Domain, others: readonly Domain[]): Record<string, Iterable<object>> {
  const { counts, isForestRoot } = domain;
  return {
    domains: [makeDomain(domain, others)],
    containers: each(counts.containers, (n) => makeContainer(domain, n)),
    ous: each(counts.ous, (n) => makeOu(domain, n)),
    gpos: each(counts.gpos, (n) => makeGpo(domain, n)),
    groups: chain(
      makeWellKnownGroups(domain, others),
      each(counts.groups, (n) => makeGroup(domain, n, others)),
    ),
    users: each(counts.users, (n) => makeUser(domain, n)),
    computers: each(counts.computers, (n) => makeComputer(domain, n)),
    ...(isForestRoot
      ? {
          certtemplates: each(counts.templates, (n) => makeTemplate(domain, n)),
          enterprisecas: each(counts.authorities, (n) => makeAuthority(domain, n)),
          rootcas: each(counts.authorities, (n) => makeRoot(domain, n)),
          aiacas: each(counts.authorities, (n) => makeAia(domain, n)),
          ntauthstores: [makeStore(domain)],
          issuancepolicies: each(counts.policies, (n) => makePolicy(domain, n)),
        }
      : {}),
  };
}

function* each(count: number, make: (n: number) => object): Generator<object, void, undefined> {
  for (let n = 0; n < count; n += 1) yield make(n);
}

function* chain(...parts: readonly Iterable<object>[]): Generator<object, void, undefined> {
  for (const part of parts) yield* part;
}
