import { AppError } from '../errors.ts';

/** How many callers' credentials are remembered. */
const maxProven = 10_000;

/** Counts each caller's requests in windows of one second; the table is emptied with every window. */
export class RateLimit {
  readonly #perSecond: number;
  #window = 0;
  #counts = new Map<string, number>();
  readonly #proven = new Set<string>();

  /** 0 is off. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** The headers that tell a caller where it stands; throws once it has used up its second. */
  take(caller: string, now: number): Record<string, string> {
    if (this.#perSecond === 0) return {};
    const count = this.#countOf(caller, now) + 1;
    this.#counts.set(caller, count);
    const headers = {
      'ratelimit-policy': `"default";q=${this.#perSecond};w=1`,
      ratelimit: `"default";r=${Math.max(0, this.#perSecond - count)};t=1`,
    };
    if (count > this.#perSecond) {
      throw new AppError('rate_limited', this.#message, { retryAfterSeconds: 1, headers });
    }
    return headers;
  }

  /**
   * Before credentials are looked at: where an address has used up its second, only what was proven from there
   * lately is still looked at. So neither a flood costs much, nor does it shut out those who share the address.
   */
  async proving<T>(
    { address, credentials, mayBe429 }: Attempt,
    now: number,
    prove: () => Promise<T>,
  ): Promise<T> {
    if (this.#perSecond === 0) return prove();
    const payer = `address:${address}`;
    const key = `${address} ${credentials}`;
    if (!this.#proven.has(key) && this.#countOf(payer, now) >= this.#perSecond)
      throw new AppError(mayBe429 ? 'rate_limited' : 'unavailable', this.#message, { retryAfterSeconds: 1 });
    try {
      const proven = await prove();
      this.#remember(key);
      return proven;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') {
        this.#proven.delete(key);
        this.#counts.set(payer, this.#countOf(payer, now) + 1);
      }
      throw error;
    }
  }

  get #message(): string {
    return `more than ${this.#perSecond} requests in one second`;
  }

  #countOf(caller: string, now: number): number {
    const window = Math.floor(now / 1000);
    if (window !== this.#window) {
      this.#window = window;
      this.#counts = new Map();
    }
    return this.#counts.get(caller) ?? 0;
  }

  #remember(key: string): void {
    if (this.#proven.has(key)) return;
    if (this.#proven.size >= maxProven) this.#proven.delete(this.#proven.values().next().value ?? '');
    this.#proven.add(key);
  }
}

/** A request whose sender is to be found out. */
interface Attempt {
  readonly address: string;
  readonly credentials: string | undefined;
  /** Collectors drop what they were sending on 429, and repeat it on 503 (gap 1.3). */
  readonly mayBe429: boolean;
}
