import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../test/graph/drawings.ts';
import { rules as slowRules } from '../../../test/reference/analysis.ts';
import { compareMany, derivedKinds } from '../../../test/reference/compare.ts';
import { drawingOf } from '../../../test/reference/drawing.ts';
import { randomEstate } from '../../../test/reference/random-estate.ts';
import { shrink } from '../../../test/reference/shrink.ts';
import { keptProperties } from './kept-properties.ts';

const estates = 1000;

describe('analysis and its slow reference', () => {
  let followed: ReadonlyMap<string, number> = new Map();

  it('derive the same kinds', () => {
    assert.deepEqual([...new Set(derivedKinds)].sort(), slowRules.map(([kind]) => kind).sort());
  });

  it('agree on random estates, edge by edge and zone by zone', () => {
    const compared = compareMany(estates, randomEstate);
    followed = compared.followed;
    assert.equal(compared.explained, '');
  });

  it('meet every kind of edge among them', () => {
    const never = derivedKinds.filter((kind) => !followed.has(kind));
    const often = derivedKinds.map((kind) => `${kind} ${followed.get(kind) ?? 0}`).join(', ');
    assert.deepEqual(never, [], `estates with each kind: ${often}`);
  });
});

describe('a random estate', () => {
  it('is the same again with the same seed', () => {
    assert.deepEqual(randomEstate(7), randomEstate(7));
    assert.notDeepEqual(randomEstate(7), randomEstate(8));
  });

  it('can be pasted as a drawing', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { nodes, edges } = randomEstate(seed);
      const [drawing] = readDrawings(drawingOf(`seed ${seed}`, nodes, edges, 'MemberOf', []));
      assert.ok(drawing);
      nodes.forEach(({ objectId, kinds, properties }, node) => {
        assert.equal(drawing.estate.objectId(node), objectId);
        assert.deepEqual(new Set(drawing.estate.kinds(node)), new Set(kinds));
        for (const [name, value] of Object.entries(properties))
          if (keptProperties.has(name)) assert.deepEqual(drawing.estate.property(node, name), value);
        assert.equal(drawing.estate.environment(node), properties.domainsid ?? properties.tenantid);
      });
      for (const { start, kind, end } of edges) {
        const [from, to] = [start, end].map((id) => nodes.findIndex((node) => node.objectId === id));
        assert.ok(drawing.estate.edges(kind).has(from as number, to as number));
      }
    }
  });

  it('shrinks to what a difference needs', () => {
    const estate = randomEstate(3);
    const [wanted] = estate.edges;
    assert.ok(wanted);
    const { nodes, edges } = shrink(estate, (parts) => parts.edges.includes(wanted));
    assert.deepEqual(edges, [wanted]);
    assert.deepEqual(nodes.map(({ objectId }) => objectId).sort(), [wanted.start, wanted.end].sort());
    assert.deepEqual(
      nodes.flatMap(({ properties }) => Object.keys(properties)).filter((name) => name !== 'domainsid'),
      [],
    );
  });
});
