/** A set of numbers from 0 up to a limit, one bit each. */
export class BitSet {
  readonly #words: Int32Array;

  constructor(limit: number) {
    this.#words = new Int32Array((limit + 31) >>> 5);
  }

  static of(limit: number, members: Iterable<number>): BitSet {
    const set = new BitSet(limit);
    for (const member of members) set.add(member);
    return set;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  has(member: number): boolean {
    return (((this.#words[member >>> 5] as number) >>> (member & 31)) & 1) === 1;
  }

  add(member: number): void {
    const word = member >>> 5;
    this.#words[word] = (this.#words[word] as number) | (1 << (member & 31));
  }

  delete(member: number): void {
    const word = member >>> 5;
    this.#words[word] = (this.#words[word] as number) & ~(1 << (member & 31));
  }

  clear(): void {
    this.#words.fill(0);
  }

  /** Of sets with the same limit. */
  addAll(other: BitSet): void {
    const [mine, theirs] = [this.#words, other.#words];
    for (let at = 0; at < mine.length; at++) mine[at] = (mine[at] as number) | (theirs[at] as number);
  }

  keepOnly(other: BitSet): void {
    const [mine, theirs] = [this.#words, other.#words];
    for (let at = 0; at < mine.length; at++) mine[at] = (mine[at] as number) & (theirs[at] as number);
  }

  deleteAll(other: BitSet): void {
    const [mine, theirs] = [this.#words, other.#words];
    for (let at = 0; at < mine.length; at++) mine[at] = (mine[at] as number) & ~(theirs[at] as number);
  }

  clone(): BitSet {
    const copy = new BitSet(this.#words.length * 32);
    copy.#words.set(this.#words);
    return copy;
  }

  get size(): number {
    let size = 0;
    for (let at = 0; at < this.#words.length; at++) size += bitsIn(this.#words[at] as number);
    return size;
  }

  /** Ascending. */
  each(visit: (member: number) => void): void {
    for (let at = 0; at < this.#words.length; at++) {
      let word = this.#words[at] as number;
      while (word !== 0) {
        const lowest = word & -word;
        visit(at * 32 + (31 - Math.clz32(lowest)));
        word ^= lowest;
      }
    }
  }

  /** Ascending. */
  toArray(): Int32Array {
    const members = new Int32Array(this.size);
    let at = 0;
    this.each((member) => {
      members[at] = member;
      at += 1;
    });
    return members;
  }
}

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
