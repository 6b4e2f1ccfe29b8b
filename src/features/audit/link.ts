import type { Reader, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import type { Keys } from '../../keys.ts';
import {
  afterHead,
  checkMark,
  type Follows,
  type Link,
  linkMac,
  type MarkName,
  sealMark,
  start,
} from './chain.ts';
import { resealRemovals } from './removals.ts';
import { findLastLink, findMark, hasWork, lockChain, putMark, readUnlinked, writeLink } from './store.ts';

type LinkDeps = Pick<Deps, 'db' | 'keys' | 'log'>;

const batchSize = 250;
/** A run is short, so that a shutdown does not wait for a million records; the next run goes on. */
const batchesPerRun = 8;

/** Links what is not linked yet, in order of id. A record that becomes visible late is linked late. */
export async function linkRecords(deps: LinkDeps): Promise<void> {
  for (let batch = 0; batch < batchesPerRun; batch += 1) {
    if (!(await hasWork(deps.db, deps.keys.fingerprint)) || !(await linkBatch(deps))) return;
  }
}

/** Answers whether it changed anything. */
function linkBatch({ db, keys, log }: LinkDeps): Promise<boolean> {
  return db.transaction(async (db) => {
    const sealedAgain = await resealMarks(db, keys);
    const rows = await readUnlinked(db, batchSize);
    if (rows.length === 0) return sealedAgain;
    const { end, follows, broken } = await findEnd(db, keys);
    if (broken) {
      db.afterCommit(() =>
        log.error(
          { position: end.position },
          'the head of the audit log does not fit its records: this position is left out to mark the place',
        ),
      );
    }
    let at = end;
    for (const row of rows) {
      const position = at.position + 1;
      const before = at === end ? follows : 'the same secret';
      at = { position, mac: linkMac(keys.audit, at.mac, position, row, before) };
      await writeLink(db, row.id, at, keys.fingerprint);
    }
    await putMark(db, 'head', sealMark(keys, 'head', at));
    return true;
  });
}

/**
 * Seals the beginning of a log that has none, once for each store: from then on a log without a head is one
 * that was tampered with.
 */
export async function beginChain(db: Transaction, keys: Keys): Promise<void> {
  await lockChain(db);
  for (const name of ['head', 'anchor'] as const) if ((await findMark(db, name)) !== undefined) return;
  if ((await findLastLink(db)) === undefined) await putMark(db, 'head', sealMark(keys, 'head', start));
}

/**
 * After a change of the secret, before anything is linked with the new one: so the marks can be checked once
 * the former secret is gone, and a mark of a secret that nobody knows is none of ours.
 */
export async function resealMarks(db: Transaction, keys: Keys): Promise<boolean> {
  await lockChain(db);
  let changed = false;
  for (const name of ['head', 'anchor'] as const) {
    const mark = await findMark(db, name);
    if (mark === undefined || mark.sealed_with === keys.fingerprint) continue;
    if (checkMark(keys, name, mark) !== 'genuine') continue;
    await putMark(db, name, sealMark(keys, name, mark, name === 'head' ? 'a former secret' : undefined));
    changed = true;
  }
  if (changed) await resealRemovals(db, keys);
  return changed;
}

/**
 * Where the chain goes on: at its sealed head, and not at the last record there is, so that a tail that was
 * cut off stays a gap for ever. If the head itself was tampered with, one position is left out: the chain
 * goes on, and whoever verifies it sees where.
 */
async function findEnd(db: Reader, keys: Keys): Promise<{ end: Link; follows: Follows; broken: boolean }> {
  await refuseNewerSecret(db, keys, 'head');
  const head = await findMark(db, 'head');
  const last = (await findLastLink(db)) ?? start;
  const follows = head && afterHead(keys, head);
  if (head !== undefined && follows !== undefined && head.position >= last.position) {
    return { end: head, follows, broken: false };
  }
  const anchor = (await findMark(db, 'anchor')) ?? start;
  const furthest = Math.max(head?.position ?? 0, last.position, anchor.position);
  return {
    end: { position: furthest + 1, mac: last.mac },
    follows: follows ?? 'the same secret',
    broken: true,
  };
}

/** A process that was not told of a change of the secret must leave the chain alone. */
export async function refuseNewerSecret(db: Reader, keys: Keys, ...names: MarkName[]): Promise<void> {
  for (const name of names) {
    const mark = await findMark(db, name);
    if (mark === undefined || checkMark(keys, name, mark) !== 'unknown key') continue;
    throw new Error(`the ${name} of the audit log was sealed with a secret that this process was not given`);
  }
}

/** The last link, as the server sealed it; undefined while nothing is linked. */
export async function readHead(db: Reader, keys: Keys): Promise<Link | undefined> {
  const head = await findMark(db, 'head');
  if (head === undefined) {
    throw new HeadError('the stored head of the audit log is missing: run `kennel audit verify`');
  }
  const state = checkMark(keys, 'head', head);
  if (state === 'genuine')
    return head.position === 0 ? undefined : { position: head.position, mac: head.mac };
  throw new HeadError(
    state === 'forged'
      ? 'the stored head of the audit log is not genuine: run `kennel audit verify`'
      : 'the head of the audit log was sealed with another secret: give it as KENNEL_SECRET_PREVIOUS',
  );
}

/** The head can't be told; the message says why. */
export class HeadError extends Error {}
