import { resolve } from 'node:path';
import { commandLine } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { slugOf } from './names.ts';
import { contentOf, insertProvider, replaceProvider, storedContent } from './provider.ts';
import { type DeclaredProvider, readProvidersFile } from './providers-file.ts';
import { findProviderBySlug, listDeclaredProviders, lockProviders } from './store.ts';

/** A file of providers that can't be applied; the message lists every problem with its place. */
export class ProvidersFileError extends Error {
  constructor(file: string, problems: readonly string[]) {
    super(
      `the file of KENNEL_PROVIDERS_FILE is not valid, and nothing of it was applied: ${file}\n${problems
        .map((problem) => `  - ${problem}`)
        .join('\n')}`,
    );
    this.name = 'ProvidersFileError';
  }
}

type Applying = Pick<Deps, 'db' | 'clock' | 'changes' | 'log'>;

interface Outcome {
  readonly added: string[];
  readonly updated: string[];
  readonly released: string[];
}

/**
 * Makes the store's providers what the file says, all or nothing. None is ever deleted: one that the file no
 * longer has, or all of them where there is no file any more, become ordinary ones.
 */
export async function applyProvidersFile(deps: Applying, path: string | undefined): Promise<Outcome> {
  const file = path === undefined ? undefined : resolve(path);
  const problems: string[] = [];
  const declared = file === undefined ? [] : readProvidersFile(file, problems);
  if (file !== undefined && problems.length > 0) throw new ProvidersFileError(file, problems);

  const outcome = await deps.db.transaction(async (db) => {
    await lockProviders(db);
    const result: Outcome = { added: [], updated: [], released: [] };
    const problems: string[] = [];
    await release(deps, db, new Set(declared.map(({ name }) => slugOf(name))), result);
    for (const provider of declared) await applyOne(deps, db, file ?? '', provider, problems, result);
    if (file !== undefined && problems.length > 0) throw new ProvidersFileError(file, problems);
    return result;
  });
  if (Object.values(outcome).some((names) => names.length > 0))
    deps.log.info({ file, ...outcome }, 'applied the declared SSO providers');
  return outcome;
}

async function applyOne(
  deps: Applying,
  db: Transaction,
  file: string,
  provider: DeclaredProvider,
  problems: string[],
  result: Outcome,
): Promise<void> {
  const { name, place, metadata } = provider;
  const content = contentOf(provider, file);
  const row = await findProviderBySlug(db, slugOf(name));
  const before = row && (await storedContent(db, row));
  const validity = provider.checkValidity(deps.clock());
  // What was accepted once must not keep the server from starting when its time is up.
  const known = before?.metadataXml === metadata.xml;
  if (!known) problems.push(...validity.problems.map((problem) => `${place}: ${problem}`));
  for (const warning of known ? [...validity.problems, ...validity.warnings] : validity.warnings)
    deps.log.warn({ provider: name, warning }, 'the metadata of a declared SSO provider needs care');
  if (problems.length > 0) return;

  if (row === undefined || before === undefined) {
    await insertProvider(db, commandLine, content, deps.clock());
    result.added.push(name);
  } else if ((await replaceProvider(deps, db, commandLine, row, before, content)) !== row) {
    result.updated.push(name);
  }
}

async function release(
  deps: Applying,
  db: Transaction,
  declaredSlugs: ReadonlySet<string>,
  result: Outcome,
): Promise<void> {
  for (const row of await listDeclaredProviders(db)) {
    if (declaredSlugs.has(row.slug)) continue;
    const before = await storedContent(db, row);
    await replaceProvider(deps, db, commandLine, row, before, { ...before, declaredIn: null });
    result.released.push(row.name);
  }
}
