import type { Db, Look, Transaction } from './db/client.ts';

/** How long a process may trust what it has read before it looks for changes made elsewhere. */
const trustMs = 500;

/**
 * Tells whether anything cached may still be used. The store holds one counter that every change of sessions,
 * users, roles and parameters moves; a process reads it at most every 500 ms and forgets everything when it
 * moved. A change made by this process acts at once. If the counter can't be read, the read's error is the
 * answer: nothing cached is trusted.
 */
export class Changes {
  readonly #db: Db;
  #readAt = Number.NEGATIVE_INFINITY;
  #counter = -1;
  #epoch = 0;
  #reading: Promise<void> | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** A number that is the same for as long as nothing changed. */
  async epoch(): Promise<number> {
    if (performance.now() - this.#readAt >= trustMs) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return this.#epoch;
  }

  /** To be called in the transaction that changes something cached. */
  async announce(db: Transaction): Promise<void> {
    await db.execute('update change_counter set value = value + 1 where id = 1');
    db.afterCommit(() => {
      this.#epoch += 1;
      this.#readAt = Number.NEGATIVE_INFINITY;
    });
  }

  async #read(): Promise<void> {
    const askedAt = performance.now();
    const row = await this.#db.one<{ value: number }>('select value from change_counter where id = 1');
    if (row === undefined) throw new Error('the change counter is missing');
    if (row.value !== this.#counter) this.#epoch += 1;
    this.#counter = row.value;
    this.#readAt = askedAt;
  }
}

/** For work that depends on parameters. */
export const changeLook: Look = {
  store: 'db',
  sql: 'select value from change_counter where id = 1',
  due: 'on change',
};

/** Remembers what `load` answered for as long as nothing changed; keeps at most `limit` answers. */
export class Cache<Key, Value> {
  readonly #changes: Changes;
  readonly #load: (key: Key) => Promise<Value | undefined>;
  readonly #limit: number;
  #entries = new Map<Key, Value>();
  #epoch = -1;

  constructor(changes: Changes, limit: number, load: (key: Key) => Promise<Value | undefined>) {
    this.#changes = changes;
    this.#limit = limit;
    this.#load = load;
  }

  async get(key: Key): Promise<Value | undefined> {
    const epoch = await this.#changes.epoch();
    if (epoch !== this.#epoch) {
      this.#entries = new Map();
      this.#epoch = epoch;
    }
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entries = this.#entries;
    const value = await this.#load(key);
    // `entries` is no longer ours if something changed while loading: then this answer is not kept.
    if (value !== undefined && entries === this.#entries) {
      if (entries.size >= this.#limit && !entries.has(key))
        entries.delete(entries.keys().next().value as Key);
      entries.set(key, value);
    }
    return value;
  }
}
