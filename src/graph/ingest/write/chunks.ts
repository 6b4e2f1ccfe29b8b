import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Reader, Transaction } from '../../../db/client.ts';

/** Statements that wait in the store for their turn, because there may be more of them than memory takes. */
export class Chunks<T> {
  count = 0;
  readonly #stage: string;

  constructor(stage: string) {
    this.#stage = stage;
  }

  async write(db: Transaction, values: readonly T[], now: number): Promise<void> {
    const body = deflateRawSync(JSON.stringify(values), { level: 1 });
    await db.bulk(
      'staged_chunks',
      ['stage', 'number', 'created_at', 'body'],
      [[this.#stage, this.count, now, body]],
    );
    this.count += 1;
  }

  async *read(db: Reader): AsyncGenerator<T[], void, undefined> {
    for (let number = 0; number < this.count; number += 1) {
      const row = await db.one<{ body: Uint8Array }>(
        'select body from staged_chunks where stage = $1 and number = $2',
        [this.#stage, number],
      );
      if (row === undefined) throw new Error(`chunk ${number} of ${this.#stage} is gone`);
      yield JSON.parse(inflateRawSync(row.body).toString('utf8'));
    }
  }

  async remove(db: Transaction): Promise<void> {
    await db.execute('delete from staged_chunks where stage = $1', [this.#stage]);
  }
}

export async function removeOldChunks(db: Transaction, before: number): Promise<void> {
  await db.execute('delete from staged_chunks where created_at < $1', [before]);
}
