import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { capturedLog } from '../../test/server/pipeline.ts';
import type { Deps } from '../deps.ts';
import { startWorker, type Task } from './worker.ts';

/** Settles when `count` calls have been made. */
function counter(count: number): { reached: Promise<void>; hit(): number } {
  let calls = 0;
  let resolve = () => {};
  const reached = new Promise<void>((done) => {
    resolve = done;
  });
  return {
    reached,
    hit: () => {
      calls += 1;
      if (calls === count) resolve();
      return calls;
    },
  };
}

function start(tasks: readonly Task[]) {
  const { log, records } = capturedLog();
  return { worker: startWorker({ log } as unknown as Deps, tasks), records };
}

describe('the background loop', () => {
  it('runs every task at once, and again and again', async () => {
    const [first, second] = [counter(3), counter(3)];
    const { worker } = start([
      { name: 'first', everyMs: 1, run: async () => void first.hit() },
      { name: 'second', everyMs: 1, run: async () => void second.hit() },
    ]);
    await Promise.all([first.reached, second.reached]);
    await worker.stop();
  });

  it('logs a failure with the name of the task, and goes on', async () => {
    const [failing, other] = [counter(2), counter(3)];
    const { worker, records } = start([
      {
        name: 'unlucky',
        everyMs: 1,
        run: async () => {
          failing.hit();
          throw new Error('no luck');
        },
      },
      { name: 'other', everyMs: 1, run: async () => void other.hit() },
    ]);
    await Promise.all([failing.reached, other.reached]);
    await worker.stop();
    assert.ok(records.length >= 2);
    for (const record of records) {
      assert.equal(record.task, 'unlucky');
      assert.equal((record.err as { message: string }).message, 'no luck');
    }
  });

  it('logs a task that fails before its first await, too', async () => {
    const { worker, records } = start([
      {
        name: 'hasty',
        everyMs: 60_000,
        run: () => {
          throw new Error('at once');
        },
      },
    ]);
    await worker.stop();
    assert.deepEqual(
      records.map(({ task }) => task),
      ['hasty'],
    );
  });

  it('never runs a task twice at once', async () => {
    const runs = counter(5);
    let running = 0;
    let most = 0;
    const { worker } = start([
      {
        name: 'slow',
        everyMs: 1,
        run: async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setTimeout(resolve, 5));
          running -= 1;
          runs.hit();
        },
      },
    ]);
    await runs.reached;
    await worker.stop();
    assert.deepEqual([most, running], [1, 0]);
  });

  it('waits at its stop for what is running, and starts nothing more', async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const runs = counter(100);
    const { worker } = start([
      {
        name: 'held',
        everyMs: 1,
        run: async () => {
          runs.hit();
          await held;
        },
      },
    ]);
    let stopped = false;
    const stopping = worker.stop().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(stopped, false);
    finish();
    await stopping;
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(runs.hit(), 2, 'one run, and this call');
  });
});
