import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { AppError } from '../errors.ts';
import { Pace } from './pace.ts';

const kibibyte = 1024;
const settings = { bodyMinKbPerSecond: 4, bodyMaxSeconds: 600 };

describe('the pace of a body', () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  const pass = (seconds: number) => {
    now += seconds * 1000;
    mock.timers.tick(seconds * 1000);
  };

  /** A chunk of this size that comes after so many seconds; false if the pace does not wait for it. */
  async function takes(pace: Pace, seconds: number, bytes: number): Promise<boolean> {
    let arrive = (_: IteratorResult<Uint8Array>) => {};
    const coming = new Promise<IteratorResult<Uint8Array>>((resolve) => {
      arrive = resolve;
    });
    const taken = pace.next(coming).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.code, 'request_timeout');
        refusal = error.message;
        return false;
      },
    );
    pass(seconds);
    arrive({ done: false, value: new Uint8Array(bytes) });
    return taken;
  }
  let refusal = '';

  it('must be the least speed over each minute', async () => {
    const pace = new Pace(settings);
    for (let n = 0; n < 12; n += 1) assert.ok(await takes(pace, 10, 48 * kibibyte), `chunk ${n}`);
  });

  it('may pause, as long as enough came in the same minute', async () => {
    const pace = new Pace(settings);
    for (let n = 0; n < 5; n += 1) {
      assert.ok(await takes(pace, 5, 240 * kibibyte), `chunk ${n}`);
      assert.ok(await takes(pace, 55, kibibyte), `chunk ${n}, after a pause`);
    }
  });

  it('ends a body that drips', async () => {
    const pace = new Pace(settings);
    let seconds = 0;
    while (await takes(pace, 10, 1)) seconds += 10;
    assert.equal(seconds, 50);
    assert.match(refusal, /less than 4 KiB .* over 60 seconds \(KENNEL_BODY_MIN_KB_PER_SECOND\)/);
  });

  it('ends a body that began fast and then drips', async () => {
    const pace = new Pace(settings);
    assert.ok(await takes(pace, 1, 10_000 * kibibyte));
    let seconds = 0;
    while (await takes(pace, 10, 1)) seconds += 10;
    assert.equal(seconds, 110);
    assert.match(refusal, /less than 4 KiB/);
  });

  it('ends a body after the whole time, whatever its speed', async () => {
    const pace = new Pace(settings);
    let seconds = 0;
    while (await takes(pace, 10, 1000 * kibibyte)) seconds += 10;
    assert.equal(seconds, 590);
    assert.match(refusal, /did not arrive within 600 seconds \(KENNEL_BODY_MAX_SECONDS\)/);
  });

  it('does not count the time between chunks, which is not the caller’s', async () => {
    const pace = new Pace(settings);
    for (let n = 0; n < 20; n += 1) {
      assert.ok(await takes(pace, 0, 1), `chunk ${n}`);
      pass(300);
    }
  });

  it('may be any without a least speed, but not stand still for a minute', async () => {
    const pace = new Pace({ ...settings, bodyMinKbPerSecond: 0 });
    for (let n = 0; n < 9; n += 1) assert.ok(await takes(pace, 59, 1), `chunk ${n}`);
    const other = new Pace({ ...settings, bodyMinKbPerSecond: 0 });
    assert.equal(await takes(other, 60, 1), false);
    assert.match(refusal, /no byte of the body arrived for 60 seconds/);
  });
});
