import { createGunzip, createInflate } from 'node:zlib';
import { AppError } from '../../errors.ts';

export type Encoding = 'gzip' | 'deflate' | 'identity';

const encodings = new Map<string, Encoding>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['identity', 'identity'],
  ['', 'identity'],
]);

export function readEncoding(header: string | undefined): Encoding {
  const encoding = encodings.get(header?.trim().toLowerCase() ?? '');
  if (encoding !== undefined) return encoding;
  throw new AppError('unsupported_media_type', 'the Content-Encoding must be gzip, deflate or identity', {
    context: 'Content-Encoding',
  });
}

/** Takes a body as it arrives; what it unpacks to is handed on and not kept. */
export interface Unpacker {
  write(chunk: Uint8Array): Promise<void>;
  /** Throws unless the body is complete, and nothing follows it. */
  end(): Promise<void>;
  close(): void;
}

export function createUnpacker(encoding: Encoding, take: (bytes: Uint8Array) => void): Unpacker {
  if (encoding !== 'identity') return new ZlibUnpacker(encoding, take);
  return { write: async (chunk) => take(chunk), end: async () => {}, close: () => {} };
}

class ZlibUnpacker implements Unpacker {
  readonly #zlib: ReturnType<typeof createGunzip>;
  readonly #encoding: Encoding;
  #packedBytes = 0;
  #isEnding = false;
  #failure: unknown;
  /** Of the write or end under way. */
  #resolve = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor(encoding: 'gzip' | 'deflate', take: (bytes: Uint8Array) => void) {
    this.#encoding = encoding;
    this.#zlib = encoding === 'gzip' ? createGunzip() : createInflate();
    this.#zlib.on('error', (error) => this.#fail(this.#broken(error)));
    this.#zlib.on('data', (bytes: Buffer) => {
      if (this.#failure !== undefined) return;
      try {
        take(bytes);
      } catch (error) {
        this.#fail(error);
      }
    });
    this.#zlib.on('end', () => {
      // Padding or garbage after the data: zlib stops before it without a word.
      if (!this.#isEnding || this.#zlib.bytesWritten !== this.#packedBytes) this.#fail(this.#broken());
      else this.#resolve();
    });
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#packedBytes += chunk.length;
    return this.#step((done) => this.#zlib.write(chunk, done));
  }

  end(): Promise<void> {
    this.#isEnding = true;
    return this.#step(() => this.#zlib.end());
  }

  close(): void {
    this.#zlib.destroy();
  }

  #step(work: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#resolve = resolve;
      this.#reject = reject;
      // After a failure this comes too late: the promise has been rejected.
      work(resolve);
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#reject(this.#failure);
    this.#zlib.destroy();
  }

  #broken(cause?: unknown): AppError {
    return new AppError('bad_request', `the body is not valid ${this.#encoding} data`, {
      context: 'body',
      cause,
    });
  }
}
