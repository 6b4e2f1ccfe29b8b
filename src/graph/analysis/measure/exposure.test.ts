import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../../test/graph/drawings.ts';
import { environmentsOf } from './environments.ts';
import { exposedPrincipals } from './exposure.ts';
import { Paths } from './findings.ts';

/** Nodes whose names begin with z are in the zone, those with y are above it. */
function exposed(text: string): Record<string, number> {
  const [drawing] = readDrawings(`== drawn\n${text}`);
  assert.ok(drawing !== undefined);
  const { estate, nameOf } = drawing;
  const environments = environmentsOf(estate);
  const paths = new Paths(estate, environments);
  const zone = {
    tagId: 1,
    isInZone: (node: number) => nameOf(node).startsWith('z'),
    isInOrAbove: (node: number) => /^[yz]/.test(nameOf(node)),
  };
  const counts = exposedPrincipals(paths, zone, paths.outside(zone));
  return Object.fromEntries(environments.ids.map((id, number) => [id, counts[number] as number]));
}

describe('exposedPrincipals', () => {
  it('keeps more environments apart than an integer has bits', () => {
    const numbers = Array.from({ length: 70 }, (_, number) => number);
    // Environment n has n % 4 users in a group that leads to its own zone, and one whose way leads to the next one's.
    const lines = numbers.flatMap((n) => [
      `d${n}: Domain collected=true`,
      `z${n}: User domain=d${n}`,
      `g${n}: Group domain=d${n}`,
      `g${n} -GenericAll-> z${n}`,
      `lost${n}: User domain=d${n}`,
      `lost${n} -AdminTo-> z${(n + 1) % numbers.length}`,
      ...numbers
        .slice(0, n % 4)
        .flatMap((m) => [`u${n}_${m}: User domain=d${n}`, `u${n}_${m} -MemberOf-> g${n}`]),
    ]);
    assert.deepEqual(exposed(lines.join('\n')), Object.fromEntries(numbers.map((n) => [`D${n}`, n % 4])));
  });

  const domains = `
    a: Domain collected=true
    b: Domain collected=true
    z1: Group domain=a
    u: User domain=a
    v: User domain=b`;

  it('finds a way through another environment, and through a circle', () => {
    const text = `${domains}
      u -AdminTo-> v
      v -AdminTo-> u
      v -MemberOf-> z1`;
    assert.deepEqual(exposed(text), { A: 1, B: 0 });
  });

  it('does not pass through what is in the zone or above it', () => {
    const text = `${domains}
      y: User domain=a
      z2: Group domain=b
      u -GenericAll-> y
      y -GenericAll-> z1
      u -GenericAll-> z2
      z2 -GenericAll-> z1`;
    assert.deepEqual(exposed(text), { A: 0, B: 0 });
  });

  it('counts principals alone, and nobody who is in the zone or whose environment was not collected', () => {
    const text = `${domains}
      away: Domain
      stranger: User domain=away
      z3: User domain=away
      g: Group domain=a
      c: Computer domain=a
      stranger -MemberOf-> g
      c -MemberOf-> g
      g -GenericAll-> z1
      stranger -GenericAll-> z3`;
    assert.deepEqual(exposed(text), { A: 1, B: 0 });
  });

  it('does not move along edges that lead nowhere', () => {
    assert.deepEqual(exposed(`${domains}\nu -Enroll,GetChanges-> z1`), { A: 0, B: 0 });
  });
});
