import { AppError } from '../../errors.ts';

const mebibyte = 1024 * 1024;
/** What a body may unpack to, as a multiple of what it may have packed. */
const unpackedFactor = 16;
/** JSON shrinks to a tenth or so; a body that grows more than this is made to fill memory or disks. */
const maxRatio = 200;
/** Up to here the ratio does not matter: the name of one kind a thousand times is no attack. */
const harmlessBytes = 64 * mebibyte;

/** How large one body may be. */
export class Limits {
  readonly #maxMb: number;
  /** The setting that it comes from. */
  readonly #name: string;

  constructor(maxMb: number, name: 'KENNEL_INGEST_MAX_MB' | 'KENNEL_UPLOAD_MAX_MB') {
    this.#maxMb = maxMb;
    this.#name = name;
  }

  checkPacked(bytes: number): void {
    if (bytes <= this.#maxMb * mebibyte) return;
    throw tooLarge(`a body may have at most ${this.#maxMb} MiB as it is sent (${this.#name})`);
  }

  checkUnpacked(packed: number, unpacked: number): void {
    const maxMb = this.#maxMb * unpackedFactor;
    if (unpacked > maxMb * mebibyte) {
      throw tooLarge(`a body may have at most ${maxMb} MiB unpacked, ${unpackedFactor} times ${this.#name}`);
    }
    if (unpacked <= harmlessBytes || unpacked <= packed * maxRatio) return;
    throw tooLarge(
      `a body may unpack to at most ${maxRatio} times its size, beyond ${harmlessBytes / mebibyte} MiB`,
    );
  }
}

function tooLarge(message: string): AppError {
  return new AppError('too_large', message, { context: 'body' });
}
