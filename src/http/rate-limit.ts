import { AppError } from '../errors.ts';

/** Counts each caller's requests in windows of one second; the table is emptied with every window. */
export class RateLimit {
  readonly #perSecond: number;
  #window = 0;
  #counts = new Map<string, number>();

  /** 0 is off. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** The headers that tell a caller where it stands; throws once it has used up its second. */
  take(caller: string, now: number): Record<string, string> {
    if (this.#perSecond === 0) return {};
    const window = Math.floor(now / 1000);
    if (window !== this.#window) {
      this.#window = window;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(caller) ?? 0) + 1;
    this.#counts.set(caller, count);
    const headers = {
      'ratelimit-policy': `"default";q=${this.#perSecond};w=1`,
      ratelimit: `"default";r=${Math.max(0, this.#perSecond - count)};t=1`,
    };
    if (count > this.#perSecond) {
      throw new AppError('rate_limited', `more than ${this.#perSecond} requests in one second`, {
        retryAfterSeconds: 1,
        headers,
      });
    }
    return headers;
  }
}
