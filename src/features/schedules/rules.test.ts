import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MadeUser, makeClient, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

const start = 'DTSTART:20260101T023000Z';

/** What is wrong with a rule, and a part of what is said about it. */
const refused: readonly [rrule: string, reason: string][] = [
  ['', 'the recurrence is empty'],
  ['every day', 'is not NAME=VALUE'],
  [`${start}\nRRULE:FREQ=DAILY;${' '.repeat(1000)}`, 'longer than 1000 characters'],
  [`${start}\nRRULE:FREQ=DÄILY`, 'not plain ASCII'],
  ['FREQ=DAILY', 'DTSTART is required'],
  ['RRULE:FREQ=DAILY', 'DTSTART is required'],
  [start, 'RRULE is required'],
  [`${start}\nRRULE:INTERVAL=2`, 'FREQ is required'],
  [
    `${start}\nRRULE:FREQ=FORTNIGHTLY`,
    'FREQ must be one of YEARLY, MONTHLY, WEEKLY, DAILY, HOURLY, MINUTELY',
  ],
  [`${start}\nRRULE:FREQ=SECONDLY;INTERVAL=600`, 'FREQ must be one of'],
  [`${start}\nRRULE:FREQ=DAILY;FREQ=DAILY`, 'FREQ is given more than once'],
  [`${start}\nRRULE:FREQ=DAILY;INTERVAL=0`, 'INTERVAL takes whole numbers from 1'],
  [`${start}\nRRULE:FREQ=DAILY;BYHOUR=24`, 'BYHOUR takes whole numbers from 0 to 23'],
  [`${start}\nRRULE:FREQ=DAILY;COUNT=2;UNTIL=20990101T000000Z`, 'COUNT and UNTIL'],
  [`${start}\nRRULE:FREQ=DAILY;UNTIL=20990101T000000`, 'UNTIL must end in "Z"'],
  [`${start}\nRRULE:FREQ=WEEKLY;BYDAY=XX`, 'BYDAY takes MO'],
  [`${start}\nRRULE:FREQ=DAILY;COLOUR=RED`, 'is not a known part'],
  [
    `${start}\nRDATE:20260101T023000Z\nRRULE:FREQ=DAILY`,
    'is neither a DTSTART nor an RRULE nor an EXDATE line',
  ],
  ['DTSTART:20260101T023000\nRRULE:FREQ=DAILY', 'must end in "Z" for UTC or have a TZID'],
  ['DTSTART;TZID=Mars/Base:20260101T023000\nRRULE:FREQ=DAILY', 'is not a known time zone'],
  ['DTSTART:20260230T023000Z\nRRULE:FREQ=DAILY', 'is not a real date and time'],
  ['DTSTART:20200101T023000Z\nRRULE:FREQ=DAILY;COUNT=3', 'it has no occurrence after'],
  ['DTSTART:20200101T023000Z\nRRULE:FREQ=DAILY;UNTIL=20200301T000000Z', 'it has no occurrence after'],
  [`${start}\nRRULE:FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30`, 'it has no occurrence after'],
  [`${start}\nRRULE:FREQ=MINUTELY`, 'at least 5 minutes apart'],
  [`${start}\nRRULE:FREQ=MINUTELY;INTERVAL=4`, 'at least 5 minutes apart'],
  [`${start}\nRRULE:FREQ=HOURLY;BYMINUTE=0,15,19`, 'at least 5 minutes apart'],
  [`${start}\nRRULE:FREQ=DAILY;BYSECOND=0,30`, 'at least 5 minutes apart'],
  [`${start}\nRRULE:FREQ=YEARLY;BYMONTH=6;BYHOUR=1;BYMINUTE=58,59`, 'at least 5 minutes apart'],
];

const accepted = [
  `${start}\nRRULE:FREQ=MINUTELY;INTERVAL=5`,
  `${start}\nRRULE:FREQ=HOURLY;BYMINUTE=0,15,20`,
  `DTSTART=20260101T023000Z;FREQ=DAILY`,
  `dtstart:20260101t023000z\r\nrrule:freq=weekly;byday=mo\r\n`,
  `${start}\nRRULE:FREQ=DAILY;COUNT=10000\nEXDATE:20260102T023000Z`,
  'DTSTART;TZID=Europe/Berlin:20260101T023000\nRRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20990101T000000Z',
];

describe('the rule of a schedule', () => {
  let server: TestServer;
  let admin: MadeUser;
  let collector: MadeUser;
  const create = (rrule: string) =>
    server.call('POST', '/api/v2/events', {
      token: admin.token,
      body: { client_id: collector.id, rrule, session_collection: true },
    });

  before(async () => {
    server = await startTestServer();
    admin = await makeUser(server.deps);
    collector = await makeClient(server.deps);
  });

  after(() => server.stop());

  it('answers 400 to what is wrong with it, by name', async () => {
    for (const [rrule, reason] of refused) {
      const { status, body } = await create(rrule);
      assert.equal(status, 400, rrule);
      const [problem, ...others] = body.errors;
      assert.deepEqual(others, []);
      assert.equal(problem.context, 'rrule');
      assert.ok(
        problem.message.startsWith('rrule is not a usable recurrence rule: '),
        `${rrule}: ${problem.message}`,
      );
      assert.ok(problem.message.includes(reason), `${rrule}: ${problem.message}`);
    }
    const { body } = await server.call('GET', '/api/v2/events', { token: admin.token });
    assert.equal(body.count, 0);
  });

  it('answers 200 with it as it was given', async () => {
    for (const rrule of accepted) {
      const { status, body, text } = await create(rrule);
      assert.equal(status, 200, text);
      assert.equal(body.data.rrule, rrule);
      assert.ok(Date.parse(body.data.next_scheduled_at) > server.now() - 60_000, rrule);
    }
  });
});
