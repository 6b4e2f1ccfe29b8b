import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { FileAccess } from '../../graph/ingest/reader/random-access.ts';
import type { OpenFile, Spool, Written } from './spool.ts';
import { findKept } from './store.ts';

/** Ends the name of a file that is still being written. */
const partial = '.part';
/** A sweep leaves alone what somebody else put there. */
const ownName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.part)?$/;
const stepSize = 500;

/** One file per body, for the store that is a directory too. */
export class DirectorySpool implements Spool {
  readonly #directory: string;
  readonly #db: Db;
  #isMade = false;

  constructor(directory: string, db: Db) {
    this.#directory = directory;
    this.#db = db;
  }

  async write(stream: AsyncIterable<Uint8Array>): Promise<Written> {
    await this.#make();
    const id = randomUUID();
    const path = this.#path(id);
    try {
      const bytes = await writeFile(path + partial, stream);
      await rename(path + partial, path);
      await syncDirectory(this.#directory);
      return { id, bytes };
    } catch (error) {
      await rm(path + partial, { force: true });
      await rm(path, { force: true });
      throw explained(error);
    }
  }

  open(id: string): AsyncIterable<Uint8Array> {
    return createReadStream(this.#path(id));
  }

  openAt({ id }: Written): Promise<OpenFile> {
    return FileAccess.open(this.#path(id));
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  giveUp(id: string): Promise<void> {
    return this.#removeStrays([id]);
  }

  /** A file that is being received changes all the time: a sweep does not look at it. */
  async hold(): Promise<void> {}

  async sweep(before: number): Promise<void> {
    let batch: string[] = [];
    for await (const name of this.#namesBefore(before)) {
      if (name.endsWith(partial)) await rm(this.#path(name), { force: true });
      else batch.push(name);
      if (batch.length < stepSize) continue;
      await this.#removeStrays(batch);
      batch = [];
    }
    await this.#removeStrays(batch);
  }

  async *#namesBefore(time: number): AsyncIterable<string> {
    const directory = await opendir(this.#directory).catch(unlessMissing);
    if (directory === undefined) return;
    for await (const entry of directory) {
      if (!entry.isFile() || !ownName.test(entry.name)) continue;
      const found = await stat(this.#path(entry.name)).catch(unlessMissing);
      if (found !== undefined && found.mtimeMs < time) yield entry.name;
    }
  }

  async #removeStrays(names: readonly string[]): Promise<void> {
    const kept = await findKept(this.#db, names);
    for (const name of names) if (!kept.has(name)) await this.remove(name);
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }

  async #make(): Promise<void> {
    if (this.#isMade) return;
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await syncDirectory(dirname(this.#directory));
    this.#isMade = true;
  }
}

async function writeFile(path: string, stream: AsyncIterable<Uint8Array>): Promise<number> {
  const file: FileHandle = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of stream) {
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

/** A new name is durable once the directory that holds it is. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function explained(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new AppError('unavailable', 'the disk of the data directory is full', {
    retryAfterSeconds: 60,
    cause: error,
  });
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
