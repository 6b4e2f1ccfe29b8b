import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readDrawings } from '../../../test/graph/drawings.ts';
import { crossProduct } from './cross-product.ts';
import { EstateBuilder } from './estate.ts';
import { Facts } from './facts.ts';

/** Names of who is in all sets, which are given by names as well. */
function inAll(drawing: string, ...sets: string[]): string {
  const [{ estate, nameOf }] = readDrawings(`== a case\n${drawing}`) as [ReturnType<typeof readDrawings>[0]];
  const numbers = new Map(Array.from({ length: estate.size }, (_, node) => [nameOf(node), node]));
  const found = crossProduct(
    new Facts(estate, { citrixRdp: false }),
    sets.map((names) => names.split(' ').flatMap((name) => numbers.get(name) ?? [])),
  );
  return found.map(nameOf).join(' ');
}

const people = 'ann: User\nbob: User\neve: User\nfay: User\n';
const everybody = 'everyone: Group id=D-S-1-1-0\nauthenticated: Group id=D-S-1-5-11\n';

describe('crossProduct', () => {
  it('is nobody without sets, and nobody when a set is empty', () => {
    assert.equal(inAll(people), '');
    assert.equal(inAll(people, 'ann', ''), '');
    assert.equal(inAll(people, '', 'ann'), '');
    assert.equal(inAll(`${people}${everybody}`, 'everyone', ''), '');
  });

  it('is the only set, unexpanded', () => {
    assert.equal(inAll(`${people}g: Group\nann -MemberOf-> g`, 'g bob bob'), 'bob g');
  });

  it('is who is in all of several sets', () => {
    assert.equal(inAll(people, 'ann bob eve', 'bob eve', 'eve fay bob'), 'bob eve');
  });

  it('leaves out sets that hold everybody, and gives what is left of them', () => {
    const drawing = `${people}${everybody}g: Group\nh: Group\nann -MemberOf-> g\nauthenticated -MemberOf-> h`;
    assert.equal(inAll(drawing, 'everyone fay', 'g'), 'g');
    assert.equal(inAll(drawing, 'bob g', 'h'), 'bob g');
    assert.equal(inAll(drawing, 'bob g', 'eve h', 'ann bob'), 'ann bob');
  });

  it('is the union of the sets when all of them hold everybody', () => {
    const drawing = `${people}${everybody}h: Group\nauthenticated -MemberOf-> h`;
    assert.equal(inAll(drawing, 'everyone ann', 'h bob'), 'ann bob everyone h');
  });

  it('names a member of the first set that is in the others, a group as a whole', () => {
    const drawing = `${people}g: Group\nh: Group\nann -MemberOf-> g\ng -MemberOf-> h`;
    assert.equal(inAll(drawing, 'g', 'h'), 'g');
    assert.equal(inAll(drawing, 'g', 'g'), 'g');
  });

  it('opens a group of the first set that is not in the others', () => {
    const drawing = `${people}g: Group\nh: Group\nann -MemberOf-> g\nbob -MemberOf-> g\nann -MemberOf-> h`;
    assert.equal(inAll(drawing, 'g', 'h'), 'ann');
    assert.equal(inAll(drawing, 'h', 'g'), 'ann');
    assert.equal(inAll(drawing, 'g', 'h', 'bob'), '');
  });

  it('names groups inside instead of their members, the small one and the large one around it', () => {
    const drawing = `${people}small: Group\nlarge: Group\none: Group\ntwo: Group
      ann -MemberOf-> small\nbob -MemberOf-> large\nsmall -MemberOf-> large
      large -MemberOf-> one\nlarge -MemberOf-> two\neve -MemberOf-> one\neve -MemberOf-> two\nfay -MemberOf-> one`;
    assert.equal(inAll(drawing, 'one', 'two'), 'eve small large');
  });

  it('names one of the groups that contain each other', () => {
    const drawing = `${people}a: Group\nb: Group\none: Group\ntwo: Group
      a -MemberOf-> b\nb -MemberOf-> a\nann -MemberOf-> a
      b -MemberOf-> one\na -MemberOf-> two`;
    assert.equal(inAll(drawing, 'one', 'two'), 'a');
  });

  it('names a group without members only where none around it is named', () => {
    const drawing = `${people}empty: Group\nself: Group\nlarge: Group\none: Group\ntwo: Group
      empty -MemberOf-> large\nself -MemberOf-> large\nself -MemberOf-> self\nann -MemberOf-> large
      large -MemberOf-> one\nfay -MemberOf-> one`;
    assert.equal(inAll(`${drawing}\nlarge -MemberOf-> two`, 'one', 'two'), 'large');
    assert.equal(
      inAll(`${drawing}\nempty -MemberOf-> two\nself -MemberOf-> two`, 'one', 'two'),
      'empty self',
    );
  });

  it('opens local groups too', () => {
    const drawing = `${people}l: ADLocalGroup\nann -MemberOfLocalGroup-> l`;
    assert.equal(inAll(drawing, 'l', 'ann bob'), 'ann');
  });

  it('covers exactly the people that are in all sets', () => {
    const size = 12;
    const firstGroup = 6;
    const group = fc.integer({ min: firstGroup, max: size - 1 });
    const set = fc.uniqueArray(fc.nat(size - 1), { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(size - 1), group), { maxLength: 20 }),
        fc.array(set, { minLength: 2, maxLength: 3 }),
        (pairs, sets) => {
          const builder = new EstateBuilder();
          for (let node = 0; node < size; node++)
            builder.node({
              objectId: `N${node}`,
              kinds: [node < firstGroup ? 'User' : 'Group'],
              properties: {},
            });
          for (const [member, of] of pairs) builder.edge(member, 'MemberOf', of);
          const found = crossProduct(new Facts(builder.build(), { citrixRdp: false }), sets);
          const inEvery = (node: number) => sets.every((one) => withMembers(one, pairs).has(node));
          assert.ok(found.every(inEvery));
          const covered = withMembers(found, pairs);
          for (let person = 0; person < firstGroup; person++)
            assert.equal(covered.has(person), inEvery(person), `person ${person}`);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function withMembers(nodes: readonly number[], pairs: readonly (readonly [number, number])[]): Set<number> {
  const found = new Set(nodes);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [member, of] of pairs) if (found.has(of)) found.add(member);
  }
  return found;
}
