import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../test/graph/drawings.ts';
import { defaultSelectors } from './default-selectors.ts';
import { keptProperties } from './kept-properties.ts';
import { assignZones, type Selector, type Zone, zoneSource } from './zones.ts';

const folder = new URL('zone-drawings/', import.meta.url);
const allRules = defaultSelectors.map(({ key }) => ({ rule: key }));

const zone = (id: number, position: number, ...selectors: Selector[]): Zone => ({
  id,
  position,
  kind: `Tag_${id}`,
  selectors,
});

function drawn(text: string) {
  const [drawing] = readDrawings(`== drawn\n${text}`);
  assert.ok(drawing !== undefined);
  return drawing;
}

/** By the drawn names: the zone and how the node came in. */
function assigned(text: string, zones: readonly Zone[]): Record<string, string> {
  const { estate, nameOf } = drawn(text);
  const { tag, source } = assignZones(estate, zones);
  const found = [...tag].flatMap((id, node) =>
    id === 0 ? [] : [[nameOf(node), `${id} by ${source[node]}`]],
  );
  return Object.fromEntries(found);
}

for (const file of readdirSync(folder)) {
  describe(`Tier Zero on drawn graphs: ${file}`, () => {
    for (const { title, estate, nameOf, expectedNodes } of readDrawings(
      readFileSync(new URL(file, folder), 'utf8'),
    )) {
      it(title, () => {
        const { tag } = assignZones(estate, [zone(1, 1, ...allRules)]);
        const found = [...tag].flatMap((id, node) => (id === 0 ? [] : [nameOf(node)]));
        assert.deepEqual(found.sort(), [...expectedNodes].sort());
      });
    }
  });
}

describe('the default selectors', () => {
  it('have keys of their own, and say which of them are needed', () => {
    assert.equal(new Set(defaultSelectors.map(({ key }) => key)).size, defaultSelectors.length);
    assert.equal(defaultSelectors.filter(({ required }) => required).length, 17);
  });

  it('can be disabled for some roles of Azure and not for others', () => {
    const azure = defaultSelectors.filter(({ key }) => key.startsWith('az-'));
    const names = (required: boolean) =>
      azure.filter((selector) => selector.required === required).map(({ name }) => name);
    assert.deepEqual(names(true), [
      'Azure tenants',
      'Global Administrator',
      'Partner Tier2 Support',
      'Privileged Authentication Administrator',
      'Privileged Role Administrator',
    ]);
    assert.deepEqual(names(false), [
      'Application Administrator',
      'Knowledge Administrator',
      'Intune Administrator',
      'Security Administrator',
    ]);
  });

  it('read only what is kept in memory', () => {
    for (const name of ['name', 'distinguishedname', 'samaccountname', 'isreadonlydc', 'isaclprotected'])
      assert.ok(keptProperties.has(name), name);
  });
});

describe('assignZones', () => {
  const estate = `
    da: Group id=S-1-5-21-1-512
    ann: User
    pay: Group
    bob: User
    ann -MemberOf-> da
    ann -MemberOf-> pay
    bob -MemberOf-> pay`;

  it('tells how each node came in', () => {
    const text = `${estate}\nunit: OU\nunit -Contains-> ann`;
    assert.deepEqual(assigned(text, [zone(1, 1, { rule: 'domain-admins' })]), {
      da: `1 by ${zoneSource.selected}`,
      ann: `1 by ${zoneSource.below}`,
      unit: `1 by ${zoneSource.above}`,
    });
  });

  it('calls a node selected that is below another one too', () => {
    const zones = [zone(1, 1, { objectIds: ['S-1-5-21-1-512', 'ANN'] })];
    assert.equal(assigned(estate, zones).ann, '1 by 1');
  });

  it('selects by object ids in any case, and passes over those that nothing has', () => {
    const zones = [zone(7, 2, { objectIds: ['nobody', 'Pay'] }, { objectIds: [] })];
    assert.deepEqual(assigned(estate, zones), { ann: '7 by 2', pay: '7 by 1', bob: '7 by 2' });
  });

  it('passes over rules that it does not know', () => {
    assert.deepEqual(assigned(estate, [zone(1, 1, { rule: 'of-a-later-version' })]), {});
  });

  it('leaves a node to the zone with the lowest position, in whatever order they come and whatever their ids', () => {
    const zones = [zone(3, 2, { objectIds: ['PAY'] }), zone(9, 1, { rule: 'domain-admins' })];
    const expected = { da: '9 by 1', ann: '9 by 2', pay: '3 by 1', bob: '3 by 2' };
    assert.deepEqual(assigned(estate, zones), expected);
    assert.deepEqual(assigned(estate, [...zones].reverse()), expected);
  });

  it('grows every zone through nodes that are in a higher one', () => {
    const text = `
      unit: OU
      da: Group id=S-1-5-21-1-512
      bob: User
      unit -Contains-> da
      unit -Contains-> bob`;
    const zones = [zone(1, 1, { rule: 'domain-admins' }), zone(2, 2, { objectIds: ['UNIT'] })];
    assert.deepEqual(assigned(text, zones), { unit: '1 by 3', da: '1 by 1', bob: '2 by 2' });
  });

  it('begins every zone afresh', () => {
    const zones = [zone(1, 1, { objectIds: ['BOB'] }), zone(2, 2, { objectIds: ['ANN'] })];
    assert.deepEqual(assigned(estate, zones), { ann: '2 by 1', bob: '1 by 1' });
  });

  it('puts nothing anywhere without zones, and needs no nodes', () => {
    assert.deepEqual(assigned(estate, []), {});
    assert.deepEqual(assigned('', [zone(1, 1, ...allRules)]), {});
  });
});
