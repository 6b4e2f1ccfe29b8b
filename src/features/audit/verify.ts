import type { Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import type { Keys } from '../../keys.ts';
import { afterHead, checkMark, type Link, type Mark, start, usableAnchor } from './chain.ts';
import { ChainCheck, type Finding, type Unknown } from './check.ts';
import { type Removal, readRemovals, removalFindings } from './removals.ts';
import { countUnlinked, findMark, type LinkedRow, readLinked, readOutside } from './store.ts';

export interface Verification {
  /** Records up to this position were deleted because of their age. */
  readonly deletedUpTo: number;
  readonly last: Link;
  readonly checked: number;
  /** What a former secret is needed for. */
  readonly unknown: Unknown | undefined;
  readonly unlinked: number;
  /** What retention says that it removed, oldest first. */
  readonly removals: readonly Removal[];
  /** The first thousand. */
  readonly findings: readonly Finding[];
  readonly findingCount: number;
  /** What is no fault, but should be known. */
  readonly notes: readonly string[];
}

interface Options {
  /** A head that was noted down elsewhere. */
  readonly head?: Link | undefined;
  readonly onProgress?: (checked: number, total: number) => void;
}

const batchSize = 1000;
const maxListed = 1000;
/** Beyond every id: what is looked for lies after the whole position. */
const afterAll = Number.MAX_SAFE_INTEGER;

/**
 * Walks the whole chain, in short snapshots: a server may go on linking and deleting meanwhile. What it
 * deletes on the way is skipped, for the anchor that it seals says how far that went.
 */
export async function verifyLog(
  deps: Pick<Deps, 'db' | 'keys'>,
  options: Options = {},
): Promise<Verification> {
  const { db, keys } = deps;
  const findings = new Findings();
  const notes: string[] = [];
  const check = new ChainCheck(keys, start);
  let removals: readonly Removal[] = [];
  const head = await db.snapshot(async (db) => {
    const anchor = await findMark(db, 'anchor');
    if (anchor !== undefined) findings.add(markFindings(keys, 'anchor', anchor));
    const sealed = await readRemovals(db);
    removals = sealed;
    findings.add(removalFindings(keys, sealed, usableAnchor(keys, anchor)));
    findings.add(await misplaced(db, usableAnchor(keys, anchor)));
    const head = await findMark(db, 'head');
    findings.add(head === undefined ? [noHead] : markFindings(keys, 'head', head));
    return head !== undefined && checkMark(keys, 'head', head) === 'genuine' ? head : undefined;
  });
  const expected = [
    ...(head === undefined ? [] : [new ExpectedHead(head, 'the stored head of the log')]),
    ...(options.head === undefined ? [] : [new ExpectedHead(options.head, 'the given head')]),
  ];
  let checked = 0;
  let deletedUpTo = 0;
  let afterId = afterAll;
  for (;;) {
    const { anchor, rows } = await readBatch(db, keys, check.at, afterId);
    if (anchor !== undefined && anchor.position > check.at.position) {
      check.moveTo(anchor);
      for (const end of expected) findings.add(end.skipTo(anchor, notes));
    }
    deletedUpTo = anchor?.position ?? deletedUpTo;
    for (const row of rows) {
      findings.add(check.next(row));
      for (const end of expected) findings.add(end.see(row));
    }
    checked += rows.length;
    afterId = rows.at(-1)?.id ?? afterId;
    options.onProgress?.(checked, Math.max(checked, (head?.position ?? 0) - deletedUpTo));
    if (rows.length < batchSize) break;
  }
  for (const end of expected) findings.add(end.atEnd(check.at));
  const next = head && afterHead(keys, head);
  if (head !== undefined && next !== undefined) findings.add(check.endAt(head.position, next));
  return {
    deletedUpTo,
    last: check.at,
    checked,
    unknown: check.unknown,
    unlinked: await countUnlinked(db),
    removals,
    findings: findings.listed,
    findingCount: findings.count,
    notes,
  };
}

const noHead: Finding = {
  kind: 'forged_mark',
  position: 0,
  message: 'the stored head of the log is missing',
};

function readBatch(
  db: Deps['db'],
  keys: Keys,
  at: Link,
  afterId: number,
): Promise<{ anchor: Mark | undefined; rows: LinkedRow[] }> {
  return db.snapshot(async (db) => {
    const anchor = usableAnchor(keys, await findMark(db, 'anchor'));
    const overtaken = anchor !== undefined && anchor.position > at.position;
    const rows = overtaken
      ? await readLinked(db, anchor.position, afterAll, batchSize)
      : await readLinked(db, at.position, afterId, batchSize);
    return { anchor, rows };
  });
}

function markFindings(keys: Keys, name: 'head' | 'anchor', mark: Mark): Finding[] {
  const what = name === 'head' ? 'the stored head' : 'the anchor at the start';
  const at = { position: Number(mark.position) };
  switch (checkMark(keys, name, mark)) {
    case 'genuine':
      return [];
    case 'forged':
      return [{ kind: 'forged_mark', ...at, message: `${what} of the log is not genuine` }];
    // A process seals both marks again before it uses another secret, so none of ours is of an unknown one.
    case 'unknown key':
      return [
        { kind: 'forged_mark', ...at, message: `${what} of the log names a secret that was not given` },
      ];
  }
}

async function misplaced(db: Reader, anchor: Mark | undefined): Promise<Finding[]> {
  const rows = await readOutside(db, anchor?.position ?? 0, maxListed);
  return rows.map(({ id, position }) => ({
    kind: 'misplaced',
    id,
    position: Number(position),
    message: `record ${id} has position ${position}, which lies outside the log`,
  }));
}

/** A place that must turn up on the way. */
class ExpectedHead {
  readonly #link: Link;
  readonly #what: string;
  #settled = false;

  constructor(link: Link, what: string) {
    this.#link = link;
    this.#what = what;
  }

  see(row: LinkedRow): Finding[] {
    if (this.#settled || row.position !== this.#link.position) return [];
    this.#settled = true;
    return row.mac === this.#link.mac ? [] : [this.#other(row.id)];
  }

  /** Records up to the anchor are gone, by the age that the operator set. */
  skipTo(anchor: Link, notes: string[]): Finding[] {
    if (this.#settled || this.#link.position > anchor.position) return [];
    this.#settled = true;
    if (this.#link.position === anchor.position) return this.#link.mac === anchor.mac ? [] : [this.#other()];
    notes.push(`${this.#what}, position ${this.#link.position}, is older than what is kept`);
    return [];
  }

  atEnd(last: Link): Finding[] {
    if (this.#settled) return [];
    const { position } = this.#link;
    if (position <= last.position) return []; // missing in the middle, and told as such
    const message = `the log was cut off: ${this.#what} is position ${position}, but the last record has ${last.position}`;
    return [{ kind: 'cut_off', position: last.position + 1, message }];
  }

  #other(id?: number): Finding {
    const { position } = this.#link;
    const message = `the record at position ${position} has another MAC than ${this.#what}`;
    return { kind: 'other_head', ...(id === undefined ? {} : { id }), position, message };
  }
}

class Findings {
  readonly listed: Finding[] = [];
  count = 0;

  add(findings: readonly Finding[]): void {
    this.count += findings.length;
    this.listed.push(...findings.slice(0, Math.max(0, maxListed - this.listed.length)));
  }
}
