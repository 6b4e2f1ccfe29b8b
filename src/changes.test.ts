import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { passingTime } from '../test/server/passing-time.ts';
import { Cache, Changes } from './changes.ts';
import type { Db, Transaction } from './db/client.ts';

const pass = passingTime();

/** A store that holds nothing but the counter, and answers when it is told to. */
class CounterStore {
  counter = 1;
  reads = 0;
  failure: Error | undefined;
  held: Promise<void> | undefined;

  readonly db = {
    one: async () => {
      this.reads += 1;
      const value = this.counter;
      await this.held;
      if (this.failure !== undefined) throw this.failure;
      return { value };
    },
  } as unknown as Db;

  /** A change by this process; `commit` makes it durable. */
  async announced(changes: Changes): Promise<{ commit(): void }> {
    const actions: (() => void)[] = [];
    await changes.announce({
      execute: async () => 1,
      afterCommit: (action: () => void) => actions.push(action),
    } as unknown as Transaction);
    return {
      commit: () => {
        this.counter += 1;
        for (const action of actions) action();
      },
    };
  }
}

/** Something to wait for that a test ends when it likes. */
function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('Changes', () => {
  let store: CounterStore;
  let changes: Changes;

  beforeEach(() => {
    store = new CounterStore();
    changes = new Changes(store.db);
  });

  it('keep their epoch while nothing changes, and look at the store twice a second at most', async () => {
    const epoch = await changes.epoch();
    for (let i = 0; i < 10; i += 1) assert.equal(await changes.epoch(), epoch);
    assert.equal(store.reads, 1);
    pass(500);
    assert.equal(await changes.epoch(), epoch);
    assert.equal(store.reads, 2);
  });

  it('see a change of another process once what was read is half a second old', async () => {
    const epoch = await changes.epoch();
    store.counter += 1;
    pass(400);
    assert.equal(await changes.epoch(), epoch);
    pass(100);
    assert.notEqual(await changes.epoch(), epoch);
  });

  it('count the half second from when the store was asked, not from when it answered', async () => {
    const slow = gate();
    store.held = slow.opened;
    const first = changes.epoch();
    pass(450);
    slow.open();
    const epoch = await first;
    store.counter += 1;
    pass(50);
    assert.notEqual(await changes.epoch(), epoch);
  });

  it('ask once for all who want to know at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, () => changes.epoch()));
    assert.equal(store.reads, 1);
  });

  it('see a change of this process at once, but only when it is durable', async () => {
    const epoch = await changes.epoch();
    const change = await store.announced(changes);
    assert.equal(await changes.epoch(), epoch);
    change.commit();
    assert.notEqual(await changes.epoch(), epoch);
    const next = await changes.epoch();
    pass(500);
    assert.equal(await changes.epoch(), next, 'the own change is not seen a second time');
  });

  it('see a change of this process although a look at the store was on its way', async () => {
    const epoch = await changes.epoch();
    pass(500);
    const slow = gate();
    store.held = slow.opened;
    const looking = changes.epoch();
    (await store.announced(changes)).commit();
    slow.open();
    assert.notEqual(await looking, epoch);
    assert.notEqual(await changes.epoch(), epoch);
  });

  it('answer with the error when the counter cannot be read, and recover', async () => {
    const epoch = await changes.epoch();
    store.failure = new Error('the store is away');
    assert.equal(await changes.epoch(), epoch, 'still trusted');
    pass(500);
    await assert.rejects(changes.epoch(), /the store is away/);
    await assert.rejects(changes.epoch(), /the store is away/);
    store.failure = undefined;
    assert.equal(await changes.epoch(), epoch);
  });
});

describe('Cache', () => {
  let store: CounterStore;
  let changes: Changes;
  let loads: string[];
  let source: Map<string, string>;
  const load = async (key: string) => {
    loads.push(key);
    return source.get(key);
  };

  beforeEach(() => {
    store = new CounterStore();
    changes = new Changes(store.db);
    loads = [];
    source = new Map([
      ['a', 'A'],
      ['b', 'B'],
      ['c', 'C'],
    ]);
  });

  it('loads what it does not know and remembers it', async () => {
    const cache = new Cache(changes, 10, load);
    for (const key of ['a', 'b', 'a', 'b']) assert.equal(await cache.get(key), source.get(key));
    assert.deepEqual(loads, ['a', 'b']);
  });

  it('remembers falsy values, but not that there is nothing', async () => {
    const cache = new Cache(changes, 10, async (key: string) => {
      loads.push(key);
      return { zero: 0, no: false, empty: '' }[key];
    });
    for (const key of ['zero', 'no', 'empty', 'nothing', 'zero', 'no', 'empty', 'nothing'])
      await cache.get(key);
    assert.deepEqual(loads, ['zero', 'no', 'empty', 'nothing', 'nothing']);
  });

  it('forgets everything when something changed here, or elsewhere half a second ago', async () => {
    const cache = new Cache(changes, 10, load);
    await cache.get('a');
    source.set('a', 'A2');
    assert.equal(await cache.get('a'), 'A');
    (await store.announced(changes)).commit();
    assert.equal(await cache.get('a'), 'A2');
    source.set('a', 'A3');
    store.counter += 1;
    pass(500);
    assert.equal(await cache.get('a'), 'A3');
  });

  it('does not keep what was loaded while something changed', async () => {
    const [loading, slow] = [gate(), gate()];
    const cache = new Cache(changes, 10, async (key: string) => {
      const value = await load(key);
      loading.open();
      if (loads.length === 1) await slow.opened;
      return value;
    });
    const stale = cache.get('a');
    await loading.opened;
    source.set('a', 'A2');
    (await store.announced(changes)).commit();
    assert.equal(await cache.get('a'), 'A2');
    slow.open();
    assert.equal(await stale, 'A', 'asked before the change');
    assert.equal(await cache.get('a'), 'A2');
    assert.deepEqual(loads, ['a', 'a']);
  });

  it('does not keep what was loaded while something changed that nobody noticed yet', async () => {
    const [loading, slow] = [gate(), gate()];
    const cache = new Cache(changes, 10, async (key: string) => {
      const value = await load(key);
      loading.open();
      if (loads.length === 1) await slow.opened;
      return value;
    });
    const stale = cache.get('a');
    await loading.opened;
    source.set('a', 'A2');
    (await store.announced(changes)).commit();
    slow.open();
    await stale;
    assert.equal(await cache.get('a'), 'A2');
  });

  it('answers with the error and trusts nothing it knows while the counter cannot be read', async () => {
    const cache = new Cache(changes, 10, load);
    await cache.get('a');
    pass(500);
    store.failure = new Error('the store is away');
    await assert.rejects(cache.get('a'), /the store is away/);
    assert.deepEqual(loads, ['a']);
    store.failure = undefined;
    assert.equal(await cache.get('a'), 'A');
    assert.deepEqual(loads, ['a'], 'nothing changed meanwhile');
  });

  it('answers with the error of a load, and loads again the next time', async () => {
    let failing = true;
    const cache = new Cache(changes, 10, async (key: string) => {
      if (failing) throw new Error('not now');
      return load(key);
    });
    await assert.rejects(cache.get('a'), /not now/);
    failing = false;
    assert.equal(await cache.get('a'), 'A');
  });

  it('keeps no more answers than its limit, and drops the oldest first', async () => {
    const cache = new Cache(changes, 2, load);
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await cache.get(key);
    assert.deepEqual(loads, ['a', 'b', 'c', 'a']);
  });

  it('drops nobody for an answer that it already holds', async () => {
    const cache = new Cache(changes, 2, load);
    await cache.get('b');
    await Promise.all([cache.get('a'), cache.get('a')]);
    loads = [];
    for (const key of ['a', 'b']) await cache.get(key);
    assert.deepEqual(loads, []);
  });
});
