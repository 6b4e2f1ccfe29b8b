import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PairList } from './edge-set.ts';
import { EstateBuilder } from './estate.ts';

function build(keep?: ReadonlySet<string>) {
  const builder = new EstateBuilder(keep);
  const node = (objectId: string, kinds: string[], properties: Record<string, unknown>, storeId?: number) =>
    builder.node({ objectId, kinds, properties, ...(storeId !== undefined && { storeId }) });
  const domain = node('D', ['Domain', 'Base'], { name: 'D', domainsid: 'd' }, 7_000_000_000);
  const ann = node('D-1', ['User', 'Base'], { name: 'ANN', domainsid: 'd', title: 'x' });
  const bob = node('D-2', ['Base', 'User'], { tenantid: 't', environmentid: 'e' });
  const none = node('X', [], { domainsid: '' });
  builder.edge(ann, 'Knows', bob);
  return { estate: builder.build(), domain, ann, bob, none };
}

describe('Estate', () => {
  it('tells nodes by id and by kind', () => {
    const { estate, domain, ann, bob, none } = build();
    assert.equal(estate.size, 4);
    assert.equal(estate.find('D-1'), ann);
    assert.equal(estate.find('d-1'), undefined);
    assert.equal(estate.objectId(bob), 'D-2');
    assert.equal(estate.storeId(domain), 7_000_000_000);
    assert.deepEqual(estate.nodesOf('User'), [ann, bob]);
    assert.deepEqual(estate.nodesOf('Computer'), []);
    assert.equal(estate.has(ann, 'User'), true);
    assert.equal(estate.has(domain, 'User'), false);
    assert.equal(estate.has(none, 'Base'), false);
    assert.deepEqual(estate.kinds(bob), ['Base', 'User']);
  });

  it('knows the domain or tenant of a node, in upper case', () => {
    const { estate, domain, ann, bob, none } = build();
    assert.deepEqual(
      [domain, ann, bob, none].map((node) => estate.environment(node)),
      ['D', 'D', 'T', undefined],
    );
  });

  it('keeps the properties that it is told to, and the environment all the same', () => {
    const { estate, ann } = build(new Set(['title']));
    assert.equal(estate.property(ann, 'title'), 'x');
    assert.equal(estate.property(ann, 'name'), undefined);
    assert.equal(estate.environment(ann), 'D');
  });

  it('finds what was derived like what was collected', () => {
    const { estate, domain, ann, bob } = build();
    const derived = new PairList();
    derived.add(bob, domain);
    derived.add(ann, bob);
    estate.add('Knows', derived);
    assert.deepEqual([...estate.targets(bob, 'Knows')], [domain]);
    assert.deepEqual([...estate.sources(bob, 'Knows')], [ann]);
    assert.equal(estate.edges('Knows').size, 2);
    assert.equal(estate.edges('Likes').size, 0);
  });
});
