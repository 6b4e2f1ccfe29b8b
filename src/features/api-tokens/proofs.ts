import { placeOf } from '../../http/address.ts';

/** A collector asks for work every few seconds, a person starts an upload before sending a file. */
const provenMs = 3_600_000;
const maxProofs = 10_000;

/**
 * Which tokens have signed a request rightly of late, and from where. The id alone proves nothing: others may know
 * it, but they can't make it proven from their own address.
 */
export class Proofs {
  readonly #at = new Map<string, number>();

  record(tokenId: string, address: string, now: number): void {
    const key = keyOf(tokenId, address);
    // Again at the end, so that the first one is always the oldest.
    this.#at.delete(key);
    this.#at.set(key, now);
    if (this.#at.size <= maxProofs) return;
    const [oldest] = this.#at.keys();
    if (oldest !== undefined) this.#at.delete(oldest);
  }

  isRecent(tokenId: string, address: string, now: number): boolean {
    const at = this.#at.get(keyOf(tokenId, address));
    return at !== undefined && Math.abs(now - at) < provenMs;
  }
}

function keyOf(tokenId: string, address: string): string {
  return `${tokenId} ${placeOf(address)}`;
}
