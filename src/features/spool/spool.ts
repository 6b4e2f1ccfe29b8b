import type { Transaction } from '../../db/client.ts';
import type { RandomAccess } from '../../graph/ingest/reader/random-access.ts';
import type { Encoding } from './encoding.ts';

/** Names bytes that are durable, but count for nothing until a row in the store names them too. */
export interface Written {
  readonly id: string;
  readonly bytes: number;
}

/** A body that is in the spool. */
export interface Received {
  readonly written: Written;
  readonly sha256: string;
  /** Of what lies in the spool. */
  readonly encoding: Encoding;
  readonly unpackedBytes: number;
}

export interface OpenFile extends RandomAccess {
  close(): Promise<void>;
}

/** Where the bytes lie that are sent, until they are read. */
export interface Spool {
  /** Resolves once the bytes would survive a power cut; leaves nothing behind when it rejects. */
  write(stream: AsyncIterable<Uint8Array>): Promise<Written>;
  open(id: string): AsyncIterable<Uint8Array>;
  /** For reading at any place, as an archive is. */
  openAt(written: Written): Promise<OpenFile>;
  /** Does nothing when there is no such thing. */
  remove(id: string): Promise<void>;
  /** Removes it unless a row names it, for whoever can't be sure. */
  giveUp(id: string): Promise<void>;
  /** In the transaction that makes the bytes count: keeps a sweep away from them, or throws if one was there. */
  hold(db: Transaction, written: Written): Promise<void>;
  /** Removes what was written before that time and has no row: the remains of crashes. */
  sweep(before: number): Promise<void>;
}
