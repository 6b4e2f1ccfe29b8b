import { type FileHandle, open } from 'node:fs/promises';

/** Bytes that can be read at any place: a file, or what a store keeps. */
export interface RandomAccess {
  readonly size: number;
  /** Exactly `length` bytes, which are there: callers stay within `size`. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

export class FileAccess implements RandomAccess {
  readonly size: number;
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  static async open(path: string): Promise<FileAccess> {
    const handle = await open(path, 'r');
    try {
      return new FileAccess(handle, (await handle.stat()).size);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.#handle.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) throw new Error('the file became shorter while it was read');
      done += bytesRead;
    }
    return bytes;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

const blockBytes = 128 * 1024;

/** The bytes from `start` to before `end`, in blocks. */
export async function* readRange(
  source: RandomAccess,
  start = 0,
  end = source.size,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = start; at < end; at += blockBytes) {
    yield await source.read(at, Math.min(blockBytes, end - at));
  }
}

const zipStarts = ['PK\x03\x04', 'PK\x05\x06'];

/** By the first four bytes: a zip archive, or one without entries. */
export function startsLikeZip(bytes: Uint8Array): boolean {
  return zipStarts.includes(Buffer.from(bytes.subarray(0, 4)).toString('latin1'));
}

export async function isZip(source: RandomAccess): Promise<boolean> {
  return source.size >= 4 && startsLikeZip(await source.read(0, 4));
}
