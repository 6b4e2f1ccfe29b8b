import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../../test/graph/drawings.ts';
import { combined } from '../../../../test/graph/posture-points.ts';
import { measure, type Point } from './measure.ts';

/*
 * Environments A and B were collected, AWAY was not. In Tier Zero (zone 1): a, da, root of A and b, dcb of B. In
 * Payroll (zone 2, less privileged): pay and clerk of A, vault of B.
 *
 * Principals are users and computers: root ann bob svc eve clerk ws1 ws2 of A (8), dcb carl dora srv vault of B (5).
 *
 *     ann ──┐                        ┌─> root ─> da ─> a ─> ou ─> root
 *     bob ──┴─> help ────────────────┤
 *                 └─> pay            │
 *     svc, carl, stranger ─> ws1 ────┤
 *     ws2 ─> clerk ─> ws1, pay       │
 *       └──> ou ─────────────────────┘
 *
 *     carl ──┐            ┌─> srv ─> dcb ─> b
 *     dora ──┴─> users ───┼─> vault
 *                         └─> b
 */
const drawing = `== paper
  a: Domain collected=true
  b: Domain collected=true
  away: Domain
  da: Group domain=a
  root: User domain=a
  ann: User domain=a
  bob: User domain=a
  svc: User domain=a enabled=true hasspn=true
  eve: User domain=a enabled=false hasspn=true dontreqpreauth=true
  clerk: User domain=a
  help: Group domain=a
  pay: Group domain=a
  ou: OU domain=a
  ws1: Computer domain=a enabled=true operatingsystem="Windows 11" lastlogontimestamp=864000 lastcollected=1000000000 scanned=3
  ws2: Computer domain=a enabled=true operatingsystem="Windows 11" lastlogontimestamp=864000 lastcollected=1000000000 scanned=0
  dcb: Computer domain=b enabled=true operatingsystem="Windows Server" lastlogontimestamp=864000 lastcollected=1000000000 scanned=1
  srv: Computer domain=b enabled=true operatingsystem=Linux lastlogontimestamp=864000 lastcollected=1000000000 scanned=3
  vault: Computer domain=b enabled=true operatingsystem="Windows Server" lastlogontimestamp=864000 lastcollected=9999000000 scanned=3
  users: Group domain=b id=B-513
  carl: User domain=b
  dora: User domain=b enabled=true dontreqpreauth=true
  stranger: User domain=away

  root -MemberOf-> da
  da -GenericAll-> a
  a -Contains-> ou
  ou -Contains-> root
  ann -MemberOf-> help
  bob -MemberOf-> help
  help -ForceChangePassword-> root
  help -AddMember-> pay
  svc -AdminTo-> ws1
  carl -AdminTo-> ws1
  stranger -AdminTo-> ws1
  ws1 -HasSession-> root
  ws2 -HasSession-> clerk
  ws2 -GenericWrite-> ou
  clerk -MemberOf-> pay
  clerk -GenericAll-> ws1

  carl -MemberOf-> users
  dora -MemberOf-> users
  users -CanRDP-> srv
  users -GenericAll-> vault
  users -WriteDacl-> b
  srv -GenericWrite-> dcb
  dcb -DCSync-> b`;

const inTierZero = ['a', 'da', 'root', 'b', 'dcb'];
const inPayroll = ['pay', 'clerk', 'vault'];

const [drawn] = readDrawings(drawing);
assert.ok(drawn !== undefined);
const { estate, nameOf } = drawn;
const tags = Int32Array.from({ length: estate.size }, (_, node) =>
  inTierZero.includes(nameOf(node)) ? 1 : inPayroll.includes(nameOf(node)) ? 2 : 0,
);
const zones = [
  { id: 1, position: 1 },
  { id: 2, position: 2 },
];
const { findings, points, environments } = measure(estate, zones, tags);

function found(tag: number): string[] {
  return findings
    .filter(({ tagId }) => tagId === tag)
    .map((finding) => {
      const { type, environment, source, target, exposureCount, exposureInside } = finding;
      const what = `${environments.ids[environment]} ${type} ${nameOf(source)} ${nameOf(target)}`;
      const exposure = `exposure ${exposureCount} (${exposureInside})`;
      return `${what}: ${exposure}, impact ${finding.impactCount} (${finding.impactInside})`;
    })
    .sort();
}

const [A, B, both] = [['A'], ['B'], ['A', 'B']];

/** Of A, of B, of both together. */
const values = (dataType: Point['dataType'], tag?: number) =>
  [A, B, both].map((environments) => combined(points, dataType, environments, tag));

describe('posture on paper', () => {
  it('knows the two environments that were collected', () => {
    assert.deepEqual(environments.ids, ['A', 'B']);
    assert.deepEqual([...environments.principals], [8, 5]);
    assert.deepEqual(new Set(points.map(({ environmentId }) => environmentId)), new Set(['A', 'B']));
  });

  /*
   * Edges into zone 1 from outside of it: help to root, ws1 to root, ou to root (Contains is no finding), users to b,
   * srv to dcb. In brackets, who of them lives in the environment of the target.
   *
   * Who can use them: ann and bob come to help: 2 (2). ws1 is one itself; svc, carl and stranger control it, and so
   * does clerk, whose session is on ws2: 6 (without carl and stranger 4). carl and dora come to users: 2 (2), and with
   * srv itself to srv: 3 (3).
   * What falls: with root go da, a and ou, none of them a principal, so it is root alone: 1 (1). b leads nowhere: 0.
   * dcb: 1 (1).
   */
  it('finds what leads into Tier Zero', () => {
    assert.deepEqual(found(1), [
      'A T0ForceChangePassword help root: exposure 2 (2), impact 1 (1)',
      'A T0Logins ws1 root: exposure 6 (4), impact 1 (1)',
      'B T0GenericWrite srv dcb: exposure 3 (3), impact 1 (1)',
      'B T0WriteDACL users b: exposure 2 (2), impact 0 (0)',
    ]);
  });

  /*
   * Edges into zone 2 from outside of zones 1 and 2: help to pay, ws2 to clerk, users to vault; clerk is in the zone,
   * so its membership of pay is none.
   *
   * Who can use them: ann and bob; ws2; carl and dora. What falls: pay leads nowhere: 0. clerk takes ws1 and that
   * takes root: 3 (3). vault: 1 (1).
   */
  it('finds what leads into Payroll', () => {
    assert.deepEqual(found(2), [
      'A T0AddMember help pay: exposure 2 (2), impact 0 (0)',
      'A T0Logins ws2 clerk: exposure 1 (1), impact 3 (3)',
      'B T0GenericAll users vault: exposure 2 (2), impact 1 (1)',
    ]);
  });

  /*
   * svc has a service name and is enabled (eve is not): with svc fall ws1 and root: 3 (3). dora needs no
   * pre-authentication: through users fall srv, dcb and vault: 4 (4). users is B's Domain Users: srv and with it dcb: 2
   * (2); vault, which is not in Tier Zero: 1 (1); b is in Tier Zero and so not here. carl and dora come to users: 2 (2).
   */
  it('finds what is wrong wherever it is', () => {
    assert.deepEqual(found(0), [
      'A Kerberoasting svc svc: exposure 0 (0), impact 3 (3)',
      'B ASREPRoasting dora dora: exposure 0 (0), impact 4 (4)',
      'B LargeDefaultGroupsGenericAll users vault: exposure 2 (2), impact 1 (1)',
      'B LargeDefaultGroupsRDP users srv: exposure 2 (2), impact 2 (2)',
    ]);
  });

  /* As listed above; without a tag, Tier Zero and Hygiene together. */
  it('counts findings', () => {
    assert.deepEqual(values('findings', 0), [1, 3, 4]);
    assert.deepEqual(values('findings', 1), [2, 2, 4]);
    assert.deepEqual(values('findings', 2), [2, 1, 3]);
    assert.deepEqual(values('findings'), [3, 5, 8]);
  });

  /*
   * Hygiene adds up impact: 3 in A, 4 + 2 + 1 in B. Zones add up exposure: zone 1 has 2 + 6 in A and 3 + 2 in B, zone 2
   * has 2 + 1 in A and 2 in B. Without a tag: 3 + 8 and 7 + 5.
   */
  it('counts attack paths', () => {
    assert.deepEqual(values('attack-paths', 0), [3, 7, 10]);
    assert.deepEqual(values('attack-paths', 1), [8, 5, 13]);
    assert.deepEqual(values('attack-paths', 2), [3, 2, 5]);
    assert.deepEqual(values('attack-paths'), [11, 12, 23]);
  });

  /*
   * Zone 1: in A, ann bob (help), ws1 svc clerk ws2 (ws1; ws2 by way of ou as well): 6 of 8 = 75. In B, carl dora srv:
   * 3 of 5 = 60; that carl gets to root of A too does not matter. Both: 9 of 13 = 69.2.
   * Zone 2: in A, ann bob ws2: 3 of 8 = 37.5, which is 38; what goes through ws1 ends at root, above the zone. In B,
   * carl dora: 2 of 5 = 40. Both: 5 of 13 = 38.5 less a little: 38.
   * Hygiene has none; without a tag it is that of Tier Zero.
   */
  it('measures exposure', () => {
    assert.deepEqual(values('exposure', 0), [undefined, undefined, undefined]);
    assert.deepEqual(values('exposure', 1), [75, 60, 69]);
    assert.deepEqual(values('exposure', 2), [38, 40, 38]);
    assert.deepEqual(values('exposure'), [75, 60, 69]);
  });

  /* Zone 1: a da root, and b dcb. Zone 2: pay clerk, and vault. */
  it('counts assets', () => {
    assert.deepEqual(values('assets', 0), [undefined, undefined, undefined]);
    assert.deepEqual(values('assets', 1), [3, 2, 5]);
    assert.deepEqual(values('assets', 2), [2, 1, 3]);
    assert.deepEqual(values('assets'), [3, 2, 5]);
  });

  /*
   * Seen on day 10 and collected in the course of day 11: active. That is ws1 and ws2 in A and dcb in B; srv has no
   * Windows, vault was collected on day 115. ws1 was asked for sessions and local groups, ws2 for neither, dcb for
   * sessions. Sessions: 1 of 2, 1 of 1, together 2 of 3 = 66.7. Groups: 1 of 2, 0 of 1, together 1 of 3 = 33.3. The
   * same with every tag.
   */
  it('measures completeness', () => {
    for (const tag of [undefined, 0, 1, 2]) {
      assert.deepEqual(values('session-completeness', tag), [50, 100, 67]);
      assert.deepEqual(values('group-completeness', tag), [50, 0, 33]);
    }
  });
});
