import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hour } from '../../values/time.ts';
import { judgeHour, lifetimeMs, type SignedHour, type ZoneMemory } from './signed-hours.ts';

const minute = 60_000;
const day = 24 * hour;
const start = Date.UTC(2026, 0, 1);

/** A token as the server remembers it. */
class Token {
  memory: ZoneMemory | undefined;
  readonly firstUsed = new Map<number, number>();

  take(signed: SignedHour, now: number): boolean {
    const verdict = judgeHour(this.memory, this.firstUsed.get(signed.hour), signed, now);
    this.memory = verdict.memory;
    if (!verdict.ok) return false;
    assert.ok(verdict.until <= now + lifetimeMs);
    if (!this.firstUsed.has(signed.hour)) this.firstUsed.set(signed.hour, now);
    return true;
  }
}

/** What a client in this zone signs at this moment. */
function signedAt(now: number, zone: number): SignedHour {
  return { hour: Math.floor((now + zone * minute) / hour) * hour, zone };
}

/** Every zone, by quarters of an hour, in which some minute of this signed hour is less than an hour away. */
function disguises(signed: number, now: number): number[] {
  const zones: number[] = [];
  for (let zone = -12 * 60; zone <= 14 * 60; zone += 15) {
    const began = signed - zone * minute;
    const nearest = Math.min(Math.max(now, began), began + hour - 1);
    if (Math.abs(nearest - now) <= hour) zones.push(zone);
  }
  return zones;
}

interface Transition {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

function offsetIn(format: Intl.DateTimeFormat, at: number): number {
  const text = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** Every change of clocks on earth in one year, each kind of change once. */
function transitions(): Transition[] {
  const found = new Map<string, Transition>();
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    let before = offsetIn(format, start);
    for (let week = 1; week <= 53; week += 1) {
      let [low, high] = [start + (week - 1) * 7 * day, start + week * 7 * day];
      const after = offsetIn(format, high);
      if (after === before) continue;
      while (high - low > minute) {
        const middle = Math.floor((low + high) / 2 / minute) * minute;
        if (offsetIn(format, middle) === before) low = middle;
        else high = middle;
      }
      found.set(`${before} ${after} ${high % day}`, { at: high, before, after });
      before = after;
    }
  }
  return [...found.values()];
}

/** Sends every hour that the token has ever signed, in every zone that makes it look new. */
function replayAll(token: Token, now: number): void {
  for (const [signed, firstUsed] of token.firstUsed)
    for (const zone of disguises(signed, now)) {
      const taken = token.take({ hour: signed, zone }, now);
      assert.ok(
        !taken || now - firstUsed < lifetimeMs,
        `an hour first used ${(now - firstUsed) / minute} minutes ago was taken as of ${zone}`,
      );
    }
}

describe('the age of a signed hour', () => {
  const changes = transitions();

  it('is two hours at most when clocks are changed, and no client is locked out, whoever replays meanwhile', () => {
    assert.ok(changes.length > 10);
    assert.ok(changes.some(({ before, after }) => Math.abs(before - after) === 30));
    for (const { at, before, after } of changes) {
      const token = new Token();
      for (let now = at - 20 * hour; now < at + 30 * hour; now += 20 * minute) {
        const taken = token.take(signedAt(now, now < at ? before : after), now);
        // An hour that comes twice, more than an hour apart, is refused the second time: at one station in Antarctica.
        assert.ok(
          taken || before - after > 60,
          `${before} to ${after}, ${(now - at) / minute} minutes later`,
        );
        replayAll(token, now);
      }
      assert.equal(token.memory?.zone, after);
    }
  });

  it('is two hours at most for a request that was held back, in every zone and at every age', () => {
    for (let zone = -12 * 60; zone <= 14 * 60; zone += 15) {
      for (let age = 0; age <= 30 * 60; age += 15) {
        const signedMoment = start + 5 * day + (age % 60) * minute;
        const held = signedAt(signedMoment, zone);
        const now = signedMoment + age * minute;
        for (const disguise of disguises(held.hour, now)) {
          const token = new Token();
          token.take(signedAt(signedMoment - 3 * hour, zone), signedMoment - 3 * hour);
          const taken = token.take({ hour: held.hour, zone: disguise }, now);
          assert.ok(
            !taken || age * minute < lifetimeMs,
            `${age} minutes old, from ${zone} as of ${disguise}`,
          );
        }
      }
    }
  });

  it('lets a laptop go east at once, and further west after two hours or as many as it went', () => {
    for (let from = -12 * 60; from <= 14 * 60; from += 150) {
      for (let to = -12 * 60; to <= 14 * 60; to += 150) {
        const token = new Token();
        const moved = start + 9 * day;
        for (let now = moved - 30 * hour; now < moved; now += 30 * minute)
          assert.ok(token.take(signedAt(now, from), now));
        const westMs = Math.max(0, from - to) * minute;
        let backAt: number | undefined;
        for (let now = moved; now < moved + 32 * hour; now += 30 * minute) {
          const taken = token.take(signedAt(now, to), now);
          if (taken) backAt ??= now;
          assert.ok(taken || now - moved <= Math.max(lifetimeMs, westMs) + 3 * hour, `${from} to ${to}`);
          replayAll(token, now);
        }
        if (to >= from) assert.equal(backAt, moved);
        assert.equal(token.memory?.zone, to);
      }
    }
  });

  it('is not learnt from replays: they neither move a token nor stop its client', () => {
    const token = new Token();
    for (let now = start; now < start + 3 * day; now += 10 * minute) {
      assert.ok(token.take(signedAt(now, 120), now));
      replayAll(token, now);
      assert.equal(token.memory?.zone, 120);
    }
  });
});
