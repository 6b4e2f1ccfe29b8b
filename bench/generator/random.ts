/** Numbers that look random and are the same for the same seed: every object has a source of its own. */
export class Random {
  #state: number;

  /** Different parts, such as a domain, a kind and a number, give different sources. */
  constructor(...parts: readonly number[]) {
    let state = 0x9e3779b9;
    for (const part of parts) state = mix(state ^ mix(part + 0x85ebca6b));
    this.#state = state;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    return mix(this.#state) / 0x1_0000_0000;
  }

  /** From 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('there is nothing to pick from');
    return value;
  }

  /** Mostly small and now and then much larger, as the sizes of groups are. */
  skewed(least: number, most: number): number {
    return Math.min(most, Math.floor(least / (1 - this.next()) ** 0.8));
  }

  hex(length: number): string {
    let text = '';
    while (text.length < length) text += this.below(0x1_0000_0000).toString(16).padStart(8, '0');
    return text.slice(0, length).toUpperCase();
  }
}

function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
