import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeps, prepareStores } from '../../src/bootstrap.ts';
import { readSettings } from '../../src/config.ts';
import { openStores, type Stores } from '../../src/db/open.ts';
import type { Deps } from '../../src/deps.ts';
import { scheduleDueJobs } from '../../src/features/schedules/index.ts';
import { createLog } from '../../src/log.ts';
import { nextOccurrences } from '../../src/values/occurrences.ts';
import { parseRecurrence } from '../../src/values/recurrence.ts';
import { makeClient, makeEvent, makeUser } from '../server/builders.ts';
import { call, temporaryStore } from '../server/harness.ts';
import { killedStore } from '../server/killed-store.ts';
import { type KennelProcess, serveKennel, within } from '../server/processes.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const inBerlin = 'DTSTART;TZID=Europe/Berlin:20250101T023000\nRRULE:';

/** The same irregular steps in every run. */
function randomFrom(seed: number): (low: number, high: number) => number {
  let state = seed;
  return (low, high) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return low + Math.floor((state / 2 ** 32) * (high - low));
  };
}

function occurrencesUntil(rrule: string, from: number, to: number): number[] {
  const rule = parseRecurrence(rrule, { canEnd: true });
  return nextOccurrences(rule, from, 5000).filter((time) => time <= to);
}

describe('schedules on a moving clock', () => {
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let stores: Stores;
  let deps: Deps;
  let now = 0;

  before(async () => {
    temporary = await temporaryStore();
    const settings = readSettings(temporary.env);
    stores = openStores(settings);
    await prepareStores(stores, settings, now);
    await restart();
  });
  beforeEach(() =>
    deps.db.transaction(async (db) => {
      await db.execute('delete from jobs');
      await db.execute('delete from events');
    }),
  );
  after(async () => {
    await stores.close();
    await temporary.remove();
  });

  /** As a new process would: nothing is known but what is in the store. */
  async function restart(): Promise<void> {
    await stores.close();
    const settings = readSettings(temporary.env);
    stores = openStores(settings);
    deps = await createDeps(
      stores,
      settings,
      createLog(settings),
      () => '',
      () => now,
    );
  }

  async function makeSchedules<Name extends string>(
    rules: Readonly<Record<Name, string>>,
  ): Promise<Record<Name, number>> {
    const collector = await makeClient(deps);
    const entries: [string, number][] = [];
    for (const [name, rrule] of Object.entries<string>(rules))
      entries.push([name, (await makeEvent(deps, collector, rrule)).id]);
    return Object.fromEntries(entries) as Record<Name, number>;
  }

  /** The collector takes every job and ends it. */
  async function collect(): Promise<void> {
    if ((await deps.db.one('select id from jobs where status = 0')) === undefined) return;
    await deps.db.transaction((db) =>
      db.execute('update jobs set status = 2, start_time = $1, end_time = $1 where status = 0', [now]),
    );
  }

  async function timesOf(eventId: number): Promise<number[]> {
    const rows = await deps.db.query<{ execution_time: number }>(
      'select execution_time from jobs where event_id = $1 order by id',
      [eventId],
    );
    return rows.map((row) => row.execution_time);
  }

  /** Lets time pass until `end`, by `step`, with processes that are killed, restarted and set back. */
  async function passTime(
    end: number,
    seed: number,
    step: (random: ReturnType<typeof randomFrom>) => number,
  ) {
    const random = randomFrom(seed);
    for (let turn = 0; now < end; turn += 1) {
      now = Math.min(end, now + step(random));
      if (turn % 3 === 0)
        await scheduleDueJobs({ ...deps, db: killedStore(deps.db, random(0, 9)) }).catch((error: Error) => {
          assert.equal(error.message, 'killed');
        });
      if (turn % 61 === 0) await restart();
      await scheduleDueJobs(deps);
      await collect();
      if (turn % 17 === 0) {
        const latest = now;
        now -= random(minute, 5 * hour);
        await scheduleDueJobs(deps);
        now = latest;
      }
    }
    await collect();
  }

  it('have one job for every occurrence in two years of Berlin', async () => {
    const from = Date.UTC(2024, 11, 31, 12);
    const to = from + 2 * 365 * day;
    now = from;
    const rules = {
      daily: `${inBerlin}FREQ=DAILY`,
      weekly: `${inBerlin}FREQ=WEEKLY;BYDAY=SU,WE`,
    };
    const ids = await makeSchedules(rules);
    // Less than 23 hours, so that no two occurrences of a rule lie within one step.
    await passTime(to, 1, (random) => random(1, 22 * hour));

    const daily = await timesOf(ids.daily);
    assert.deepEqual(daily, occurrencesUntil(rules.daily, from, to));
    assert.equal(daily.length, 2 * 365);
    assert.deepEqual(await timesOf(ids.weekly), occurrencesUntil(rules.weekly, from, to));
    const on = (date: string) =>
      daily
        .filter((time) => new Date(time).toISOString().startsWith(date))
        .map((time) => new Date(time).toISOString());
    assert.deepEqual(on('2025-03-29'), ['2025-03-29T01:30:00.000Z']);
    // 02:30 does not exist on this day: it is 03:30 of the new time.
    assert.deepEqual(on('2025-03-30'), ['2025-03-30T01:30:00.000Z']);
    assert.deepEqual(on('2025-03-31'), ['2025-03-31T00:30:00.000Z']);
    // And on this day it comes twice.
    assert.deepEqual(on('2026-10-25'), ['2026-10-25T00:30:00.000Z']);
    assert.deepEqual(on('2026-10-26'), ['2026-10-26T01:30:00.000Z']);
  });

  it('have one job for every hour, while clocks go forward and back', async () => {
    for (const from of [Date.UTC(2026, 2, 27), Date.UTC(2026, 9, 23)]) {
      const to = from + 4 * day;
      now = from;
      const rules = { hourly: `${inBerlin}FREQ=HOURLY` };
      const { hourly } = await makeSchedules(rules);
      await passTime(to, 2, (random) => random(1, 55 * minute));
      const times = await timesOf(hourly);
      assert.deepEqual(times, occurrencesUntil(rules.hourly, from, to));
      assert.ok(times.length >= 4 * 24 - 1);
    }
  });

  it('have one job for all occurrences that were missed while nothing ran', async () => {
    const from = Date.UTC(2024, 11, 31, 12);
    const to = from + 2 * 365 * day;
    const rules = { daily: `${inBerlin}FREQ=DAILY`, often: `${inBerlin}FREQ=HOURLY;INTERVAL=6` };
    now = from;
    const ids = await makeSchedules(rules);
    const outages = [from];
    await passTime(to, 3, (random) => {
      const step = random(0, 4) === 0 ? random(2 * day, 40 * day) : random(hour, 3 * day);
      outages.push(Math.min(to, now + step));
      return step;
    });
    assert.ok(outages.length > 50);
    for (const name of ['daily', 'often'] as const) {
      const all = occurrencesUntil(rules[name], from, to);
      const expected = outages.slice(1).flatMap((until, index) => {
        const missed = all.filter((time) => time > (outages[index] ?? 0) && time <= until);
        return missed.slice(-1);
      });
      assert.ok(expected.length > 50 && expected.length < all.length);
      assert.deepEqual(await timesOf(ids[name]), expected, name);
    }
  });
});

describe('schedules of a server that is killed when they are due', () => {
  const count = 5;
  let temporary: Awaited<ReturnType<typeof temporaryStore>>;
  let server: KennelProcess;
  let stores: Stores;

  before(async () => {
    temporary = await temporaryStore();
    server = await serveKennel(temporary.env);
    stores = openStores(readSettings(temporary.env));
  });
  after(async () => {
    await server.end('SIGKILL');
    await stores.close();
    await temporary.remove();
  });

  it('have one job each all the same', async () => {
    const settings = readSettings(temporary.env);
    const deps = await createDeps(stores, settings, createLog(settings), () => '');
    const { token } = await makeUser(deps);
    const collector = await makeClient(deps);
    const first = Math.ceil(Date.now() / 1000) * 1000 + 5000;
    const dueTimes = Array.from({ length: count }, (_, index) => first + index * 1000);
    for (const due of dueTimes) {
      const start = new Date(due).toISOString().slice(0, 19).replace(/[-:]/g, '');
      const answer = await call(server.url, 'POST', '/api/v2/events', {
        token,
        body: {
          client_id: collector.id,
          rrule: `DTSTART:${start}Z\nRRULE:FREQ=DAILY`,
          session_collection: true,
        },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(Date.parse(answer.body.data.next_scheduled_at), due);
    }

    const jobs = () =>
      stores.db.query<{ execution_time: number }>('select execution_time from jobs order by execution_time');
    // Taken at once: otherwise a second job would not be made anyway.
    let done = false;
    const collecting = (async () => {
      while (!done) {
        await stores.db.transaction((db) => db.execute('update jobs set status = 2 where status = 0'));
        await sleep(50);
      }
    })();
    try {
      for (let kill = 0; kill < 2; kill += 1) {
        await sleep(Math.max(0, first - Date.now()) + 500 + Math.random() * 1500);
        await server.end('SIGKILL');
        server = await serveKennel(temporary.env);
      }
      await within(30_000, 'some schedules have no job', async () => {
        const isOver = Date.now() > (dueTimes.at(-1) ?? 0);
        return isOver && (await jobs()).length >= count ? true : undefined;
      });
      // Long enough for the scheduler to look again.
      await sleep(2500);
    } finally {
      done = true;
      await collecting;
    }
    assert.deepEqual(
      (await jobs()).map((job) => job.execution_time),
      dueTimes,
    );
  });
});
