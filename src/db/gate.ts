import type { Deadline } from '../deadline.ts';

/** Lets a limited number in at a time, in the order of asking. */
export class Gate {
  #places: number;
  readonly #queue: (() => void)[] = [];

  constructor(places: number) {
    this.#places = places;
  }

  /** How many have asked and are not in yet. */
  get waiting(): number {
    return this.#queue.length;
  }

  async enter(deadline: Deadline): Promise<void> {
    if (this.#places > 0) {
      this.#places -= 1;
      return;
    }
    let enter = () => {};
    const turn = new Promise<void>((resolve) => {
      enter = resolve;
      this.#queue.push(resolve);
    });
    try {
      await deadline.bound(turn);
    } catch (error) {
      const position = this.#queue.indexOf(enter);
      if (position >= 0) this.#queue.splice(position, 1);
      else this.leave();
      throw error;
    }
  }

  leave(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#places += 1;
    else next();
  }
}
