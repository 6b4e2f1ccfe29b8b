import type { Settings } from '../config.ts';
import { AppError } from '../errors.ts';

/** gap 1.5: a body may not stand still for this long. */
const idleMs = 60_000;
/** The least speed is asked for over stretches of this length, so that a pause does no harm. */
const windowMs = 60_000;

export type PaceSettings = Pick<Settings, 'bodyMinKbPerSecond' | 'bodyMaxSeconds'>;

/** Whether a body comes fast enough. Time counts only while a byte is waited for: a slow store is not the caller's fault. */
export class Pace {
  readonly #settings: PaceSettings;
  readonly #leastBytes: number;
  #leftMs: number;
  #windowLeftMs = windowMs;
  #windowBytes = 0;

  constructor(settings: PaceSettings) {
    this.#settings = settings;
    this.#leastBytes = (settings.bodyMinKbPerSecond * 1024 * windowMs) / 1000;
    this.#leftMs = settings.bodyMaxSeconds * 1000;
  }

  /** What comes next, or a rejection once it takes too long. */
  next<T extends Uint8Array>(coming: Promise<IteratorResult<T>>): Promise<IteratorResult<T>> {
    const begunAt = performance.now();
    const { ms, message } = this.#limit();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(tooSlow(message)), ms);
      coming
        .then((result) => {
          this.#count(performance.now() - begunAt, result.done === true ? 0 : result.value.length);
          resolve(result);
        }, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  #limit(): { ms: number; message: string } {
    const { bodyMinKbPerSecond, bodyMaxSeconds } = this.#settings;
    // With enough for this stretch, none may come until the end of the following one.
    const slowMs = this.#windowLeftMs + (this.#windowBytes < this.#leastBytes ? 0 : windowMs);
    const limits = [
      { ms: idleMs, message: `no byte of the body arrived for ${idleMs / 1000} seconds` },
      {
        ms: this.#leastBytes === 0 ? Number.POSITIVE_INFINITY : slowMs,
        message: `less than ${bodyMinKbPerSecond} KiB of the body arrived per second over ${windowMs / 1000} seconds (KENNEL_BODY_MIN_KB_PER_SECOND)`,
      },
      {
        ms: this.#leftMs,
        message: `the body did not arrive within ${bodyMaxSeconds} seconds (KENNEL_BODY_MAX_SECONDS)`,
      },
    ];
    return limits.reduce((least, limit) => (limit.ms < least.ms ? limit : least));
  }

  #count(waitedMs: number, bytes: number): void {
    this.#leftMs = Math.max(0, this.#leftMs - waitedMs);
    this.#windowLeftMs -= waitedMs;
    if (this.#windowLeftMs <= 0) {
      this.#windowLeftMs = windowMs;
      this.#windowBytes = 0;
    }
    this.#windowBytes += bytes;
  }
}

function tooSlow(message: string): AppError {
  return new AppError('request_timeout', message, { context: 'body', headers: { connection: 'close' } });
}
