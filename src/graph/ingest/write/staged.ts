import type { EdgeStatement, NodeStatement, WholeStatement } from '../convert/statements.ts';

/** What one record says, on its way into the store. Its JSON form is what is kept between reading and writing. */
export interface StagedRecord {
  /** The object that the record is about, if it is about one. */
  readonly own?: string;
  /** Of the record's text and of what its file says about all records. */
  readonly hash?: string;
  /** The store already has all of it, on the node with this id: nothing is stated again. */
  readonly unchanged?: number;
  /** The domain that the file's collector must have listed to have come by this record. */
  readonly listed?: string;
  /** The domain of an object of the forest's Configuration: whether the file speaks for it is known at its end. */
  readonly forest?: string;
  readonly nodes: readonly NodeStatement[];
  readonly edges: readonly EdgeStatement[];
  readonly wholes: readonly WholeStatement[];
}

/** A record was passed over that has to be applied after all: the file is read again without passing over any. */
export class MustApplyAll extends Error {
  constructor() {
    super('an unchanged record has to be applied again');
    this.name = 'MustApplyAll';
  }
}

/** What a file did to the graph. */
export interface Written {
  nodes: number;
  edges: number;
  unmatched: number;
  withdrawn: number;
  unchanged: number;
}

/** The file that is being applied. */
export interface Visit {
  /** Its number in the ledger; later files have higher ones. */
  readonly file: number;
  readonly seenAt: number;
  /** It was read before the transaction, so that what was known of its records may be out of date. */
  readonly isStaged: boolean;
}

/** Statements of one batch; more would only need more memory. */
export const batchRecords = 1000;
export const batchCharacters = 2 * 1024 * 1024;
/** Ids in one in-list. */
export const lookupSize = 512;

export function* slices<T>(values: readonly T[], size = lookupSize): Generator<T[], void, undefined> {
  for (let from = 0; from < values.length; from += size) yield values.slice(from, from + size);
}
