import { randomUUID } from 'node:crypto';
import type { Db, Transaction } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import type { OpenFile, Spool, Written } from './spool.ts';
import { findKept } from './store.ts';

export const chunkBytes = 1024 * 1024;
const stepSize = 100;

/** Bodies as rows of a mebibyte, each in a short transaction of its own: a large body locks nothing for long. */
export class DatabaseSpool implements Spool {
  readonly #db: Db;
  readonly #clock: () => number;

  constructor(db: Db, clock: () => number) {
    this.#db = db;
    this.#clock = clock;
  }

  async write(stream: AsyncIterable<Uint8Array>): Promise<Written> {
    const id = randomUUID();
    try {
      let bytes = 0;
      let part = 0;
      for await (const chunk of inChunks(stream)) {
        await this.#db.transaction((db) =>
          db.execute(
            'insert into ingest_chunks (spool_id, part, bytes, created_at) values ($1, $2, $3, $4)',
            [id, part, chunk, this.#clock()],
          ),
        );
        bytes += chunk.length;
        part += 1;
      }
      return { id, bytes };
    } catch (error) {
      // A store that is gone can't be tidied up now; a sweep does it later.
      await this.remove(id).catch(() => {});
      throw error;
    }
  }

  async *open(id: string): AsyncIterable<Uint8Array> {
    for (let part = 0; ; part += 1) {
      const bytes = await this.#chunk(id, part);
      if (bytes === undefined && part === 0) throw new Error(`the spool has no ${id}`);
      if (bytes === undefined) return;
      yield bytes;
    }
  }

  async openAt({ id, bytes }: Written): Promise<OpenFile> {
    // An archive is read from front to back, once its directory is known: the latest chunk is the next one too.
    let latest: { part: number; bytes: Uint8Array } | undefined;
    const chunk = async (part: number): Promise<Uint8Array> => {
      if (latest?.part === part) return latest.bytes;
      const found = await this.#chunk(id, part);
      if (found === undefined) throw new Error(`the spool has no part ${part} of ${id}`);
      latest = { part, bytes: found };
      return found;
    };
    return {
      size: bytes,
      read: async (offset, length) => {
        const result = Buffer.allocUnsafe(length);
        for (let done = 0; done < length; ) {
          const at = offset + done;
          const piece = (await chunk(Math.floor(at / chunkBytes))).subarray(
            at % chunkBytes,
            (at % chunkBytes) + length - done,
          );
          if (piece.length === 0) throw new Error(`the spool has less of ${id} than was written`);
          result.set(piece, done);
          done += piece.length;
        }
        return result;
      },
      close: async () => {},
    };
  }

  async #chunk(id: string, part: number): Promise<Uint8Array | undefined> {
    const row = await this.#db.one<{ bytes: Uint8Array }>(
      'select bytes from ingest_chunks where spool_id = $1 and part = $2',
      [id, part],
    );
    return row?.bytes;
  }

  async remove(id: string): Promise<void> {
    await this.#db.transaction((db) => db.execute('delete from ingest_chunks where spool_id = $1', [id]));
  }

  giveUp(id: string): Promise<void> {
    return this.#db.transaction(async (db) => {
      // Waits for the transaction that would make the bytes count, whose outcome may not be known.
      await lock(db, id);
      if ((await findKept(db, [id])).has(id)) return;
      await db.execute('delete from ingest_chunks where spool_id = $1', [id]);
    });
  }

  async hold(db: Transaction, { id, bytes }: Written): Promise<void> {
    await lock(db, id);
    const row = await db.one<{ bytes: number }>(
      'select cast(coalesce(sum(length(bytes)), 0) as bigint) as bytes from ingest_chunks where spool_id = $1',
      [id],
    );
    if (row?.bytes === bytes) return;
    throw new AppError(
      'unavailable',
      'the body took so long that its beginning was given up: send it again',
      {
        retryAfterSeconds: 1,
      },
    );
  }

  async sweep(before: number): Promise<void> {
    let after = '';
    for (;;) {
      const rows = await this.#db.query<{ spool_id: string }>(
        `select c.spool_id from ingest_chunks c
         where c.part = 0 and c.spool_id > $1 and c.created_at < $2
           and not exists (select 1 from ingest_files f where f.spool_id = c.spool_id)
         order by c.spool_id limit ${stepSize}`,
        [after, before],
      );
      for (const { spool_id: id } of rows) {
        const newest = await this.#db.one<{ at: number | null }>(
          'select max(created_at) as at from ingest_chunks where spool_id = $1',
          [id],
        );
        if ((newest?.at ?? before) < before) await this.giveUp(id);
      }
      if (rows.length < stepSize) return;
      after = rows.at(-1)?.spool_id ?? '';
    }
  }
}

function lock(db: Transaction, id: string): Promise<void> {
  return db.lock(`spool ${id}`);
}

async function* inChunks(stream: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  for await (const bytes of stream) {
    for (let start = 0; start < bytes.length; ) {
      const piece = bytes.subarray(start, start + chunkBytes - filled);
      buffer.set(piece, filled);
      filled += piece.length;
      start += piece.length;
      if (filled < chunkBytes) continue;
      yield buffer;
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
