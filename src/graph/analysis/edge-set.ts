const none = new Int32Array(0);

/** All edges of one kind, to be looked up from either end. Ends come in ascending order, each once. */
export class EdgeSet {
  readonly #forward: Side;
  readonly #backward: Side;

  private constructor(forward: Side, backward: Side) {
    this.#forward = forward;
    this.#backward = backward;
  }

  static readonly empty = new EdgeSet(
    { from: none, to: none, offsets: undefined },
    { from: none, to: none, offsets: undefined },
  );

  /** `starts` and `ends` are pairs in any order; a pair may come more than once. */
  static of(starts: Int32Array, ends: Int32Array, nodeCount: number): EdgeSet {
    const forward = withoutRepeats(sideOf(starts, ends, nodeCount));
    return new EdgeSet(
      indexed(forward, nodeCount),
      indexed(sideOf(forward.to, forward.from, nodeCount), nodeCount),
    );
  }

  get size(): number {
    return this.#forward.from.length;
  }

  targets(start: number): Int32Array {
    return lookUp(this.#forward, start);
  }

  sources(end: number): Int32Array {
    return lookUp(this.#backward, end);
  }

  has(start: number, end: number): boolean {
    const { to } = this.#forward;
    const [first, last] = rangeOf(this.#forward, start);
    const at = lowerBound(to, end, first, last);
    return at < last && to[at] === end;
  }

  /** Every pair, by start and then by end. */
  each(visit: (start: number, end: number) => void): void {
    const { from, to } = this.#forward;
    for (let at = 0; at < from.length; at++) visit(from[at] as number, to[at] as number);
  }

  /** The same, for whoever has to wait in between. */
  *[Symbol.iterator](): Generator<[start: number, end: number]> {
    const { from, to } = this.#forward;
    for (let at = 0; at < from.length; at++) yield [from[at] as number, to[at] as number];
  }
}

/** Pairs in order of `from`, then `to`. */
interface Side {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Where each node's pairs begin, where there are enough of them to be worth it. */
  readonly offsets: Int32Array | undefined;
}

/** Sorted by counting, twice: first by the far end, then, keeping that order, by the near one. */
function sideOf(near: Int32Array, far: Int32Array, nodeCount: number): Side {
  const byFar = order(far, undefined, nodeCount);
  const sorted = order(near, byFar, nodeCount);
  const from = new Int32Array(near.length);
  const to = new Int32Array(near.length);
  for (let at = 0; at < sorted.length; at++) {
    const pair = sorted[at] as number;
    from[at] = near[pair] as number;
    to[at] = far[pair] as number;
  }
  return { from, to, offsets: undefined };
}

function order(keys: Int32Array, before: Int32Array | undefined, nodeCount: number): Int32Array {
  const result = new Int32Array(keys.length);
  // Few pairs among many nodes: counting would cost more than comparing.
  if (keys.length * 8 < nodeCount) {
    for (let at = 0; at < keys.length; at++) result[at] = before?.[at] ?? at;
    // The sort is stable.
    return result.sort((one, two) => (keys[one] as number) - (keys[two] as number));
  }
  const next = new Int32Array(nodeCount + 1);
  for (const key of keys) next[key + 1] = (next[key + 1] as number) + 1;
  for (let node = 0; node < nodeCount; node++)
    next[node + 1] = (next[node + 1] as number) + (next[node] as number);
  for (let at = 0; at < keys.length; at++) {
    const pair = before?.[at] ?? at;
    const key = keys[pair] as number;
    const place = next[key] as number;
    next[key] = place + 1;
    result[place] = pair;
  }
  return result;
}

function withoutRepeats({ from, to }: Side): Side {
  let kept = 0;
  for (let at = 0; at < from.length; at++) {
    if (at > 0 && from[at] === from[at - 1] && to[at] === to[at - 1]) continue;
    from[kept] = from[at] as number;
    to[kept] = to[at] as number;
    kept += 1;
  }
  return { from: from.slice(0, kept), to: to.slice(0, kept), offsets: undefined };
}

function indexed({ from, to }: Side, nodeCount: number): Side {
  if (from.length * 8 < nodeCount) return { from, to, offsets: undefined };
  const offsets = new Int32Array(nodeCount + 1);
  for (const node of from) offsets[node + 1] = (offsets[node + 1] as number) + 1;
  for (let node = 0; node < nodeCount; node++)
    offsets[node + 1] = (offsets[node + 1] as number) + (offsets[node] as number);
  return { from, to, offsets };
}

function lookUp(side: Side, node: number): Int32Array {
  const [first, last] = rangeOf(side, node);
  return first === last ? none : side.to.subarray(first, last);
}

function rangeOf({ from, offsets }: Side, node: number): [first: number, last: number] {
  if (offsets !== undefined) return [offsets[node] ?? from.length, offsets[node + 1] ?? from.length];
  const first = lowerBound(from, node, 0, from.length);
  return [first, lowerBound(from, node + 1, first, from.length)];
}

function lowerBound(sorted: Int32Array, value: number, first: number, last: number): number {
  let [low, high] = [first, last];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Pairs that grow. */
export class PairList {
  #starts = new Int32Array(64);
  #ends = new Int32Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(start: number, end: number): void {
    if (this.#length === this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#ends = doubled(this.#ends);
    }
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
  }

  toEdgeSet(nodeCount: number): EdgeSet {
    if (this.#length === 0) return EdgeSet.empty;
    const [starts, ends] = [this.#starts.subarray(0, this.#length), this.#ends.subarray(0, this.#length)];
    return EdgeSet.of(starts, ends, nodeCount);
  }
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
