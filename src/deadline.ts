import { AppError } from './errors.ts';

/** What applies when a caller names no wait of its own (the contract's default for `Prefer`). */
export const defaultWaitSeconds = 30;

/**
 * How long one request may take. The store checks it before every statement and before a commit, so an
 * expired write changes nothing; a commit that was already sent is never interrupted.
 */
export class Deadline {
  /** `undefined`: no limit (`wait=-1`). */
  readonly waitSeconds: number | undefined;
  readonly #expiresAt: number;
  readonly #waiting = new Set<(reason: AppError) => void>();
  #cancelled: AppError | undefined;

  /** Without an argument it is the default wait; a default parameter would take `undefined` for that too. */
  constructor(...given: [waitSeconds?: number | undefined]) {
    const waitSeconds = given.length === 0 ? defaultWaitSeconds : given[0];
    this.waitSeconds = waitSeconds;
    this.#expiresAt =
      waitSeconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + waitSeconds * 1000;
  }

  /** The request asked for another limit than the one that every store connection already has. */
  get isCustom(): boolean {
    return this.waitSeconds !== defaultWaitSeconds;
  }

  remainingMs(): number {
    return Math.max(0, this.#expiresAt - performance.now());
  }

  check(): void {
    if (this.#cancelled !== undefined) throw this.#cancelled;
    if (performance.now() >= this.#expiresAt) throw timedOut();
  }

  /** Ends the request early, for example when the server is shutting down. */
  cancel(reason: AppError): void {
    this.#cancelled ??= reason;
    for (const reject of this.#waiting) reject(this.#cancelled);
    this.#waiting.clear();
  }

  /** The result of `work`, or a rejection once the time is up; `work` itself is not stopped by this. */
  bound<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = Number.isFinite(this.#expiresAt)
        ? setTimeout(() => stop(timedOut()), this.remainingMs())
        : undefined;
      const stop = (reason: AppError) => {
        settle();
        reject(reason);
      };
      const settle = () => {
        clearTimeout(timer);
        this.#waiting.delete(stop);
      };
      this.#waiting.add(stop);
      work.then(
        (value) => {
          settle();
          resolve(value);
        },
        (error) => {
          settle();
          reject(error);
        },
      );
      if (this.#cancelled !== undefined) stop(this.#cancelled);
    });
  }
}

function timedOut(): AppError {
  return new AppError('timed_out', 'request timed out');
}
