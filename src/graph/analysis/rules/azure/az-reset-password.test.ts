import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../../../test/graph/drawings.ts';
import { type Short, templates } from '../../../../../test/reference/tenants.ts';
import { derive } from '../../derive.ts';

const shorts = Object.keys(templates) as Short[];

/** Edges of one kind that follow, from each start the ends in the order of the drawing. */
function follows(text: string, kind: string): Record<string, string[]> {
  const [drawing] = readDrawings(`== drawn\n${text}`);
  assert.ok(drawing !== undefined);
  const found: Record<string, string[]> = {};
  derive(drawing.estate, { citrixRdp: false })
    .get(kind)
    ?.each((start, end) => {
      const name = drawing.nameOf(start);
      found[name] = [...(found[name] ?? []), drawing.nameOf(end)];
    });
  return found;
}

const contains = (name: string) => `t -AZContains-> ${name}`;
const drawRole = (short: Short) => [`${short}: AZRole templateid=${templates[short]}`, contains(short)];
const drawUser = (name: string) => [`${name}: AZUser`, contains(name)];

/** Which roles (rows) reset the password of somebody who has one role (columns) and no other; x says that they do. */
const matrix = `
     none GA PRA PAA PT2 PT1 HD AUTH UA PW APP CAPP HYB DSA GRP DW IGA INT KA KM RR MCR GI DR USR SEC
GA    x   x  x   x   x   x   x  x    x  x  x   x    x   x   x   x  x   x   x  x  x  x   x  x  x   x
PAA   x   x  x   x   x   x   x  x    x  x  x   x    x   x   x   x  x   x   x  x  x  x   x  x  x   x
PT2   x   x  x   x   x   x   x  x    x  x  x   x    x   x   x   x  x   x   x  x  x  x   x  x  x   x
UA    x   -  -   -   -   -   x  -    x  x  -   -    -   -   x   -  -   -   -  -  x  x   x  x  x   -
HD    x   -  -   -   -   -   x  -    -  x  -   -    -   -   -   -  -   -   -  -  x  x   x  x  x   -
AUTH  x   -  -   -   -   -   -  x    -  x  -   -    -   -   -   -  -   -   -  -  x  x   x  x  x   -
PW    x   -  -   -   -   -   -  -    -  x  -   -    -   -   -   -  -   -   -  -  -  -   x  x  -   -
PT1   x   -  -   -   -   -   -  -    -  -  -   -    -   -   -   -  -   -   -  -  -  -   -  -  -   -`;

describe('AZResetPassword', () => {
  const [head = '', ...rows] = matrix.trim().split('\n');
  const columns = head.trim().split(/\s+/);
  const drawn = [
    't: AZTenant',
    ...shorts.flatMap(drawRole),
    ...columns.flatMap((name) => drawUser(`has_${name}`)),
    ...shorts.map((short) => `has_${short} -AZHasRole-> ${short}`),
  ];
  const found = follows(drawn.join('\n'), 'AZResetPassword');

  it('asks for every role that a rule knows', () => {
    assert.deepEqual([...columns].sort(), ['none', ...shorts].sort());
  });

  for (const row of rows) {
    const [role = '', ...cells] = row.trim().split(/\s+/);
    it(`follows from ${role} to exactly those whom it may reset`, () => {
      assert.equal(cells.length, columns.length);
      assert.deepEqual(
        found[role],
        columns.filter((_, at) => cells[at] === 'x').map((name) => `has_${name}`),
      );
    });
  }

  it('follows from no other role', () => {
    assert.deepEqual(Object.keys(found).sort(), rows.map((row) => row.trim().split(/\s+/)[0]).sort());
  });
});

describe('a tenant with people in many positions', () => {
  const people = ['none', 'hd', 'pw', 'ua', 'auth', 'rr', 'gi', 'ga', 'mix', 'rag', 'nested', 'nra', 'elig'];
  const tenant = [
    't: AZTenant',
    ...shorts.flatMap(drawRole),
    ...people.flatMap(drawUser),
    'RAG: AZGroup isassignabletorole=true',
    'SUBG: AZGroup isassignabletorole=true',
    'NRA: AZGroup isassignabletorole=false',
    'sp: AZServicePrincipal',
    'pc: AZDevice operatingsystem=WINDOWS',
    'phone: AZDevice operatingsystem=IOS',
    ...['RAG', 'SUBG', 'NRA', 'sp', 'pc', 'phone'].map(contains),
    ...['hd', 'pw', 'ua', 'auth', 'rr', 'gi', 'ga'].map(
      (name) => `${name} -AZHasRole-> ${name.toUpperCase()}`,
    ),
    'mix -AZHasRole-> RR',
    'mix -AZHasRole-> SEC',
    'RAG -AZHasRole-> GRP',
    'rag -AZMemberOf-> RAG',
    'SUBG -AZMemberOf-> RAG',
    'nested -AZMemberOf-> SUBG',
    'NRA -AZHasRole-> GA',
    'nra -AZMemberOf-> NRA',
    'elig -AZRoleEligible-> GA',
    'sp -AZHasRole-> PRA',
    'sp -AZHasRole-> INT',
  ].join('\n');

  it('has these passwords reset by these roles', () => {
    const among = (names: string) => people.filter((name) => names.split(' ').includes(name));
    assert.deepEqual(follows(tenant, 'AZResetPassword'), {
      GA: people,
      PAA: people,
      PT2: people,
      PT1: among('none nra elig'),
      HD: among('none hd pw rr gi nra elig'),
      AUTH: among('none auth pw rr gi nra elig'),
      UA: among('none hd pw rr gi nra elig ua'),
      PW: among('none pw gi nra elig'),
    });
  });

  it('has these administrators', () => {
    assert.deepEqual(follows(tenant, 'AZGlobalAdmin'), { ga: ['t'] });
    assert.deepEqual(follows(tenant, 'AZPrivilegedRoleAdmin'), { sp: ['t'] });
    assert.deepEqual(follows(tenant, 'AZPrivilegedAuthAdmin'), {});
  });

  it('has members added and commands run by these', () => {
    assert.deepEqual(follows(tenant, 'AZAddMembers'), {
      ga: ['RAG', 'SUBG', 'NRA'],
      sp: ['RAG', 'SUBG', 'NRA'],
      ua: ['NRA'],
      rag: ['NRA'],
    });
    assert.deepEqual(follows(tenant, 'AZExecuteCommand'), { sp: ['pc'] });
  });
});
