import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeUser } from '../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import { findNodes } from '../graph/store.ts';
import { day, formatRfc3339 } from '../values/time.ts';
import { templateId } from './estate/certificates.ts';
import { corp, partner, plant, tenant } from './estate/domain.ts';
import { teams } from './estate/groups.ts';
import { story } from './estate/story.ts';
import { type CollectionTime, collectionTimes, relive } from './history.ts';

const types = [
  'findings',
  'exposure',
  'assets',
  'session-completeness',
  'group-completeness',
  'attack-paths',
];

describe('the history of the demonstration', () => {
  let server: TestServer;
  let token: string;
  let now: number;
  /** Every sixth day: enough for the story. */
  let times: CollectionTime[];
  const told: string[] = [];

  const get = async (path: string, from = server, bearer = token) => {
    const { status, body } = await from.call('GET', `/api/v2${path}`, { token: bearer });
    assert.equal(status, 200, path);
    return body;
  };
  const historyOf = async (type: string, environment: string, from = server, bearer = token) => {
    const range = `start=${formatRfc3339(now - 91 * day)}&end=${formatRfc3339(now)}`;
    const path = `/posture-history/${type}?environments=${environment}&${range}`;
    return (await get(path, from, bearer)).data as { date: string; value: number }[];
  };
  const goneFindings = async (type: string) =>
    (await get(`/attack-paths/findings?state=eq:remediated&type=eq:${type}`)).data.findings;
  /** When the first analysis on or after a day of the story was published. */
  const analysisOn = (dayNumber: number) => {
    const time = times.find((candidate) => candidate.day >= dayNumber) ?? assert.fail();
    return formatRfc3339(time.at + 30_000);
  };

  before(async () => {
    server = await startTestServer();
    ({ token } = await makeUser(server.deps));
    now = server.now();
    times = collectionTimes(now).filter(({ day }) => day % 6 === 0);
    await relive(server.deps, times, ({ stage }) => told.push(stage));
  });
  after(() => server.stop());

  it('tells what it does, day by day', () => {
    assert.equal(told.length, 2 * times.length);
    assert.match(told[0] ?? '', /^\d{4}-\d\d-\d\d reading/);
    assert.match(told[1] ?? '', /^\d{4}-\d\d-\d\d analysing$/);
  });

  it('has a point of every measure for each analysis, and they move', async () => {
    for (const environment of [corp.sid, plant.sid]) {
      for (const type of types) {
        const points = await historyOf(type, environment);
        assert.equal(points.length, times.length, type);
        if (type !== 'assets' || environment === corp.sid)
          assert.ok(new Set(points.map(({ value }) => value)).size > 1, `${type} never moves`);
      }
    }
    assert.ok((await historyOf('exposure', tenant.id)).some(({ value }) => value > 0));
    assert.deepEqual(await historyOf('exposure', partner.sid), [], 'nobody collected the partner');
    assert.ok((await findNodes(server.deps.graph, [partner.sid])).has(partner.sid), 'it is only trusted');
  });

  it('shows the misconfigured template between its two dates', async () => {
    const { from, until } = story.misconfiguredTemplate;
    const [finding, ...others] = await goneFindings('T0ADCSESC1');
    assert.equal(others.length, 0);
    assert.equal(finding.source_name, `DOMAIN USERS@${corp.name}`);
    assert.equal(finding.target_id, corp.sid);
    assert.equal(finding.first_seen, analysisOn(from));
    assert.equal(finding.gone_at, analysisOn(until));
    const exposure = await historyOf('exposure', corp.sid);
    for (const { date, value } of exposure) {
      const isOpen = date >= analysisOn(from) && date < analysisOn(until);
      assert.equal(value > 50, isOpen, `${value} % at ${date}`);
    }
  });

  it('shows the risky right until it is taken back', async () => {
    const { from, until } = story.riskyRight;
    const [finding] = await goneFindings('T0WriteDACL');
    assert.equal(finding.source_name, `SVC-SYNC@${corp.name}`);
    assert.deepEqual([finding.first_seen, finding.gone_at], [analysisOn(from), analysisOn(until)]);
  });

  it('shows that accounts of administrators are marked from one day on', async () => {
    const { until } = story.delegableAdministrators;
    const findings = await goneFindings('T0MarkSensitive');
    const marked = findings.filter(
      (finding: { gone_at: string }) => finding.gone_at === analysisOn(until),
    ).length;
    assert.ok(marked > 1, `${marked} of ${findings.length}`);
  });

  it('finds what is still wrong, since different days', async () => {
    const { findings } = (await get('/attack-paths/findings')).data;
    const found = findings.map(({ type }: { type: string }) => type);
    assert.ok(found.includes('Kerberoasting') && found.includes('T0ManageCertificates'), String(found));
    const gone = (await get('/attack-paths/findings?state=eq:remediated')).data.findings;
    const all: { first_seen: string }[] = [...findings, ...gone];
    assert.ok(new Set(all.map(({ first_seen }) => first_seen)).size > 3);
  });

  it('tells which objects entered and left the zone', async () => {
    const { zone } = (await get(`/posture-diff?from=${analysisOn(0)}&environments=${corp.sid}`)).data;
    const names = (list: { items: { name: string }[] }) => list.items.map(({ name }) => name).sort();
    assert.deepEqual(names(zone.entered), [
      `ADM-PETRA.NOVAK@${corp.name}`,
      `CORP-ISSUING-05@${corp.name}`,
      `PKI05.${corp.name}`,
    ]);
    assert.deepEqual(names(zone.left), [`ADM-DIEGO.RAMOS@${corp.name}`]);
  });

  it('lets computers come and go', async () => {
    const [oldLaptop, newLaptop] = [`${corp.sid}-2401`, `${corp.sid}-2501`];
    const nodes = await findNodes(server.deps.graph, [oldLaptop, newLaptop, teams.helpdesk]);
    assert.deepEqual([...nodes.keys()].sort(), [newLaptop, teams.helpdesk].sort());
  });

  it('publishes the template of web servers at every authority, the new one included', async () => {
    const { count } = await get(`/certtemplates/${templateId('WEB-SERVER')}/published-to-cas`);
    assert.equal(count, 6);
  });

  it('is the same whenever it is lived through', async () => {
    const again = await startTestServer();
    try {
      const { token: bearer } = await makeUser(again.deps);
      await relive(again.deps, times, () => {});
      for (const environment of [corp.sid, plant.sid, tenant.id])
        for (const type of types)
          assert.deepEqual(
            await historyOf(type, environment, again, bearer),
            await historyOf(type, environment),
            `${type} of ${environment}`,
          );
    } finally {
      await again.stop();
    }
  });
});

describe('the times of collections', () => {
  it('end before now, at any time of the day', () => {
    const midnight = Date.UTC(2026, 4, 1);
    for (const now of [midnight, midnight + 60_000, midnight + 3 * 3_600_000, midnight + day - 1]) {
      const times = collectionTimes(now);
      assert.ok(times.length > 30);
      assert.ok(times.every(({ at }, index) => at < now && at > (times[index - 1]?.at ?? 0)));
    }
  });
});
