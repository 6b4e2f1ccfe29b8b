import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeClient, makeEvent, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { killedStore } from '../../../test/server/killed-store.ts';
import { serverItself } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import { openStores, type Stores } from '../../db/open.ts';
import type { Deps } from '../../deps.ts';
import { cancelJobs, jobStatus } from '../jobs/index.ts';
import { scheduleDueJobs } from './scheduler.ts';
import { deleteEventsOf, findEvent } from './store.ts';

const hour = 3_600_000;
const day = 24 * hour;
const begin = Date.UTC(2026, 0, 5);
const daily = 'DTSTART:20260101T023000Z\nRRULE:FREQ=DAILY';
const at = (days: number, hours = 2.5) => begin + days * day + hours * hour;

let server: TestServer;
let again: Stores;
let collector: MadeUser;

const when = (now: number, db: Db = server.deps.db): Deps => ({ ...server.deps, db, clock: () => now });
const run = (now: number, db?: Db) => scheduleDueJobs(when(now, db));
const make = (rrule = daily, now = begin) => makeEvent(when(now), collector, rrule);
const jobs = async (columns = 'execution_time, status') => {
  const sql = `select ${columns} from jobs order by id`;
  return (await server.deps.db.query<Record<string, unknown>>(sql)).map((row) => ({ ...row }));
};
const dueTimes = async () => (await jobs()).map((job) => job.execution_time);
const nextOf = async (id: number) => (await findEvent(server.deps.db, id))?.next_scheduled_at;
const execute = (sql: string) => server.deps.db.transaction((db) => db.execute(sql));
/** The collector takes what waits, and is done with it. */
const collect = () => execute('update jobs set status = 2 where status = 0');

before(async () => {
  server = await startTestServer();
  again = openStores(server.deps.settings);
  collector = await makeClient(server.deps);
});

beforeEach(async () => {
  await execute('delete from jobs');
  await execute('delete from events');
});

after(async () => {
  await again.close();
  await server.stop();
});

describe('the scheduler', () => {
  it('makes nothing before the time, one job at the time, and none after it', async () => {
    const event = await make();
    assert.equal(event.next_scheduled_at, at(0));
    await run(at(0) - 1);
    assert.deepEqual(await jobs(), []);
    await run(at(0));
    assert.deepEqual(await jobs(), [{ execution_time: at(0), status: jobStatus.ready }]);
    assert.equal(await nextOf(event.id), at(1));
    await collect();
    await run(at(0) + 1);
    await run(at(1) - 1);
    assert.deepEqual(await dueTimes(), [at(0)]);
    await run(at(1) + 7);
    assert.deepEqual(await dueTimes(), [at(0), at(1)]);
  });

  it('makes a job with what the schedule collects, in its own name', async () => {
    const wish = { ca_registry_collection: true, domains: ['S-1-5-21-1'] };
    const { id } = await makeEvent(when(begin), collector, `${daily};INTERVAL=2`, wish);
    const due = (await nextOf(id)) ?? 0;
    await run(due + 5);
    const [job] = await jobs('*');
    assert.ok(job !== undefined);
    for (const [name, value] of Object.entries({
      client_id: collector.id,
      client_name: collector.name,
      event_id: id,
      event_title: 'Collection every 2 days',
      execution_time: due,
      start_time: null,
      session_collection: 1,
      ca_registry_collection: 1,
      ad_structure_collection: 0,
      all_trusted_domains: 0,
      ous: '[]',
      domains: '["S-1-5-21-1"]',
      created_at: due + 5,
    }))
      assert.equal(job[name], value, name);
    const [record] = (await auditRows(server.deps)).filter(({ fields }) => fields.job_id === job.id);
    assert.equal(record?.actor_name, 'scheduler');
    assert.deepEqual(record?.fields, {
      job_id: job.id,
      client: { id: collector.id, name: collector.name },
      event_id: id,
      due_at: due,
    });
  });

  it('makes one job of all occurrences that were missed, due at the last of them', async () => {
    const fiveMinutes = await make('DTSTART:20260101T000000Z\nRRULE:FREQ=MINUTELY;INTERVAL=5');
    const { id } = await make();
    await run(at(400, 12));
    assert.deepEqual((await dueTimes()).sort(), [at(400, 2.5), at(400, 12)]);
    assert.equal(await nextOf(id), at(401));
    assert.equal(await nextOf(fiveMinutes.id), at(400, 12) + 300_000);
  });

  it('makes no second job while one waits, and one for the next occurrence after it was taken', async () => {
    const { id } = await make();
    for (let days = 0; days < 7; days += 1) await run(at(days));
    assert.deepEqual(await dueTimes(), [at(0)]);
    assert.equal(await nextOf(id), at(7));
    await execute('update jobs set status = 1');
    await run(at(6, 12));
    assert.deepEqual(await dueTimes(), [at(0)]);
    await run(at(7));
    assert.deepEqual(await dueTimes(), [at(0), at(7)]);
  });

  it('makes no job twice when the clock goes back', async () => {
    const { id } = await make();
    await run(at(3));
    await collect();
    for (const now of [at(1), at(2, 3), begin, at(3)]) await run(now);
    assert.deepEqual(await dueTimes(), [at(3)]);
    assert.equal(await nextOf(id), at(4));
  });

  it('ends with the rule: after COUNT, or UNTIL', async () => {
    const counted = await make('DTSTART:20260106T023000Z\nRRULE:FREQ=DAILY;COUNT=2');
    const until = await make(`${daily};UNTIL=20260107T000000Z`);
    for (let days = 0; days < 10; days += 1) {
      await run(at(days));
      await collect();
    }
    const byEvent = async (id: number) =>
      (await jobs('event_id, execution_time'))
        .filter((job) => job.event_id === id)
        .map((job) => job.execution_time);
    assert.deepEqual(await byEvent(counted.id), [at(1), at(2)]);
    assert.deepEqual(await byEvent(until.id), [at(0), at(1)]);
    assert.deepEqual([await nextOf(counted.id), await nextOf(until.id)], [null, null]);
    const { token } = await makeUser(server.deps);
    const { body } = await server.call('GET', `/api/v2/events/${counted.id}`, { token });
    assert.equal(body.data.next_scheduled_at, '0001-01-01T00:00:00Z');
    const again = await server.call('PUT', `/api/v2/events/${counted.id}`, {
      token,
      body: { rrule: counted.rrule, local_group_collection: true },
    });
    assert.equal(again.status, 200, 'an ended rule that stays as it was is no problem');
  });

  it('makes no job for a collector or a schedule that is gone', async () => {
    const gone = await makeClient(server.deps);
    await makeEvent(when(begin), gone, daily);
    await run(at(0));
    await server.deps.db.transaction(async (db) => {
      assert.equal((await deleteEventsOf(db, gone.id)).length, 1);
      assert.equal(await cancelJobs(db, serverItself, { clientId: gone.id }, 'gone', at(0)), 1);
    });
    await run(at(1));
    assert.deepEqual(await jobs(), [{ execution_time: at(0), status: jobStatus.canceled }]);
  });

  it('does nothing in the community edition', async () => {
    const { id } = await make();
    await scheduleDueJobs({
      ...when(at(2)),
      settings: { ...server.deps.settings, edition: 'community' },
    });
    assert.deepEqual(await jobs(), []);
    assert.equal(await nextOf(id), at(0));
  });

  it('goes on with the other schedules when a rule can not be read any more', async () => {
    const broken = await make();
    const sound = await make();
    await execute(`update events set rrule = 'FREQ=GONE', next_scheduled_at = 1 where id = ${broken.id}`);
    await run(at(0));
    assert.deepEqual(await jobs('event_id, execution_time'), [{ event_id: sound.id, execution_time: at(0) }]);
  });

  it('sees to more schedules than it reads at a time, all due at once', async () => {
    const ids: number[] = [];
    for (let number = 0; number < 230; number += 1) ids.push((await make()).id);
    await run(at(0));
    assert.deepEqual(
      (await jobs('event_id')).map((job) => job.event_id),
      ids,
    );
  });
});

describe('several schedulers at once', () => {
  /** A collector takes every job the moment it is made: no job that waits can hide that there are two. */
  const taken = (db: Db): Db => ({
    dialect: db.dialect,
    query: (...args) => db.query(...args),
    one: (...args) => db.one(...args),
    snapshot: (read) => db.snapshot(read),
    slowly: (read) => db.slowly(read),
    within: (deadline) => taken(db.within(deadline)),
    deadline: db.deadline,
    onCommit: (listener) => db.onCommit(listener),
    close: () => db.close(),
    transaction: (write) =>
      db.transaction(async (db) => {
        const result = await write(db);
        await db.execute('update jobs set status = 2 where status = 0');
        return result;
      }),
  });

  it('make exactly one job for every occurrence', async () => {
    const ids: number[] = [];
    for (let number = 0; number < 3; number += 1) ids.push((await make()).id);
    const stores = [server.deps.db, again.db].map(taken);
    const rounds = 12;
    for (let days = 0; days < rounds; days += 1) {
      const runs = stores.flatMap((db) => [0, 1, 2].map((late) => run(at(days) + late, db)));
      await Promise.all(runs);
    }
    for (const id of ids) {
      const times = (await jobs('event_id, execution_time')).filter((job) => job.event_id === id);
      assert.deepEqual(
        times.map((job) => job.execution_time),
        Array.from({ length: rounds }, (_, days) => at(days)),
      );
    }
  });

  it('make one job beside a change of the rule, and never one that was there before', async () => {
    const { token } = await makeUser(server.deps);
    for (let round = 0; round < 5; round += 1) {
      await execute('delete from jobs');
      const { id } = await make();
      const rrule = `DTSTART:20260101T023000Z\nRRULE:FREQ=DAILY;INTERVAL=${round + 2}`;
      const body = { rrule, session_collection: true };
      const [, , answer] = await Promise.all([
        run(at(0), taken(server.deps.db)),
        run(at(0), taken(again.db)),
        server.call('PUT', `/api/v2/events/${id}`, { token, body }),
      ]);
      assert.equal(answer.status, 200);
      const own = (await jobs('event_id')).filter((job) => job.event_id === id);
      assert.ok(own.length <= 1, `${own.length} jobs`);
      const next = (await nextOf(id)) ?? 0;
      assert.ok(next > server.now() - day, 'the new rule counts from now');
    }
  });
});

describe('a scheduler that is stopped half-way', () => {
  it('leaves nothing behind, and the next one makes the job', async () => {
    const { id } = await make();
    for (let statements = 0; statements < 12; statements += 1) {
      await assert.rejects(run(at(0), killedStore(server.deps.db, statements)), /killed/);
      assert.deepEqual(await jobs(), []);
      assert.equal(await nextOf(id), at(0));
    }
    await run(at(0));
    assert.deepEqual(await dueTimes(), [at(0)]);
  });
});
