import { createHash } from 'node:crypto';
import type { Upload } from '../../http/operation.ts';
import type { ContentCheck } from './content.ts';
import type { Limits } from './limits.ts';
import type { Share } from './quota.ts';

/** One body on its way in. It can be checked and kept, or only read to its end. */
export class Body {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #limits: Limits;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #isCut = false;

  constructor(upload: Upload, limits: Limits) {
    this.#chunks = upload.bytes[Symbol.asyncIterator]();
    this.#limits = limits;
  }

  /** It stopped coming, or there is too much of it: reading on is of no use. */
  get isCut(): boolean {
    return this.#isCut;
  }

  sha256(): string {
    return this.#hash.digest('hex');
  }

  /** The bytes to keep, mostly as they were sent. Whoever stops half-way can still read the rest. */
  async *checked(content: ContentCheck, share: Pick<Share, 'take'>): AsyncIterable<Uint8Array> {
    try {
      for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
        this.#hash.update(chunk);
        if (!content.keepsUnpacked) share.take(chunk.length);
        await content.write(chunk);
        if (!content.keepsUnpacked) yield chunk;
        else yield* counted(content.takeUnpacked(), share);
      }
      await content.end();
      yield* counted(content.takeUnpacked(), share);
    } finally {
      content.close();
    }
  }

  async skip(): Promise<void> {
    while ((await this.#next()) !== undefined);
  }

  /** For a caller that is still sending: the rest is read while it gets its answer. */
  async leave(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #next(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#bytes += value.length;
      this.#limits.checkPacked(this.#bytes);
      return value;
    } catch (error) {
      this.#isCut = true;
      throw error;
    }
  }
}

function* counted(chunks: readonly Uint8Array[], share: Pick<Share, 'take'>): Iterable<Uint8Array> {
  for (const chunk of chunks) {
    share.take(chunk.length);
    yield chunk;
  }
}
