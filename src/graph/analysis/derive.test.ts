import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../test/graph/drawings.ts';
import { derive, deriveByRule, rules } from './derive.ts';
import { completedKinds, rebuiltKinds } from './edge-kinds.ts';

const citrix = `== a person in Remote Desktop Users, but not in the group that Citrix makes
pc: Computer
rdp: ADLocalGroup id=PC-555
direct: ADLocalGroup id=PC-1001 name="DIRECT\\u0020ACCESS\\u0020USERS@PC"
ann: User
rdp -LocalToComputer-> pc
direct -LocalToComputer-> pc
rdp -RemoteInteractiveLogonRight-> pc
ann -MemberOfLocalGroup-> rdp
`;

describe('derive', () => {
  it('makes only kinds that are made anew or completed', () => {
    for (const [kind] of rules) assert.ok([...rebuiltKinds, ...completedKinds].includes(kind), kind);
  });

  it('says what was not collected, and adds it to the estate', () => {
    const [{ estate }] = readDrawings(
      '== x\nd: Domain collected=true\ne: Group id=D-S-1-1-0\na: Group id=D-S-1-5-11\nu: Group id=D-513\nu -MemberOf-> a',
    ) as [ReturnType<typeof readDrawings>[0]];
    assert.equal(derive(estate, { citrixRdp: false }).get('MemberOf')?.size, 1);
    assert.equal(estate.edges('MemberOf').size, 2);
    assert.equal(derive(estate, { citrixRdp: false }).get('MemberOf')?.size, 0);
  });

  it('asks for membership in the group of Citrix only when told to', () => {
    for (const [citrixRdp, count] of [
      [true, 0],
      [false, 1],
    ] as const) {
      const [{ estate }] = readDrawings(citrix) as [ReturnType<typeof readDrawings>[0]];
      assert.equal(derive(estate, { citrixRdp }).get('CanRDP')?.size, count);
    }
  });

  it('tells how far it is', () => {
    const [{ estate }] = readDrawings(citrix) as [ReturnType<typeof readDrawings>[0]];
    assert.deepEqual(
      [...deriveByRule(estate, { citrixRdp: true })],
      rules.map((_, at) => (at + 1) / rules.length),
    );
  });
});
