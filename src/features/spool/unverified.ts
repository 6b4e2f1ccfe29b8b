import { busy, type Sender } from './places.ts';

const mebibyte = 1024 * 1024;

/** How much of bodies may lie on the disk whose senders have proven nothing, for each token. */
export class Unverified {
  readonly #limitMb: number;
  readonly #bytes = new Map<string, number>();

  constructor(limitMb: number) {
    this.#limitMb = limitMb;
  }

  open({ id, kind, standing }: Sender, announced: number): { take(bytes: number): void; release(): void } {
    if (standing !== 'unproven') return { take: () => {}, release: () => {} };
    const sum = () => this.#bytes.get(id) ?? 0;
    const check = (more: number) => {
      if (sum() + more <= this.#limitMb * mebibyte) return;
      throw busy(
        `this ${kind} may have ${this.#limitMb} MiB (KENNEL_UNVERIFIED_MAX_MB) under way until one of its signatures was right: send any other signed request first`,
      );
    };
    check(announced);
    let own = 0;
    return {
      take: (bytes) => {
        check(bytes);
        own += bytes;
        this.#bytes.set(id, sum() + bytes);
      },
      release: () => {
        const left = sum() - own;
        own = 0;
        if (left > 0) this.#bytes.set(id, left);
        else this.#bytes.delete(id);
      },
    };
  }
}
