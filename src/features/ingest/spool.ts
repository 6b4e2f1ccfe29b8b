import { join } from 'node:path';
import type { Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { DatabaseSpool } from './spool-database.ts';
import { DirectorySpool } from './spool-directory.ts';

/** Names bytes that are durable, but count for nothing until a row in the store names them too. */
export interface Written {
  readonly id: string;
  readonly bytes: number;
}

/** Where the bytes lie that collectors send, exactly as they were sent. */
export interface Spool {
  /** Resolves once the bytes would survive a power cut; leaves nothing behind when it rejects. */
  write(stream: AsyncIterable<Uint8Array>): Promise<Written>;
  open(id: string): AsyncIterable<Uint8Array>;
  /** Does nothing when there is no such thing. */
  remove(id: string): Promise<void>;
  /** Removes it unless a row names it, for whoever can't be sure. */
  giveUp(id: string): Promise<void>;
  /** In the transaction that makes the bytes count: keeps a sweep away from them, or throws if one was there. */
  hold(db: Transaction, written: Written): Promise<void>;
  /** Removes what was written before that time and has no row: the remains of crashes. */
  sweep(before: number): Promise<void>;
}

/** Processes that share a PostgreSQL need not share a disk. */
export function createSpool({ db, settings, clock }: Pick<Deps, 'db' | 'settings' | 'clock'>): Spool {
  return settings.databaseUrl === undefined
    ? new DirectorySpool(join(settings.dataDir, 'spool'), db)
    : new DatabaseSpool(db, clock);
}
