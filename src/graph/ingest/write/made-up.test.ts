import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { ingest, openGraph, readGraph } from '../../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../../test/server/stores.ts';
import { putTogether, takeApart } from './made-up.ts';

const madeUp = { kinds: ['Group', 'Base'], properties: { name: 'MADE UP', domain: 'X' } };

describe('what is made up', () => {
  it('is told apart from what is stated', () => {
    const stated = { kinds: ['User'], properties: { objectid: 'A' } };
    const { kinds, properties, mark } = putTogether(stated, madeUp);
    assert.deepEqual(kinds, ['Group', 'User', 'Base']);
    assert.deepEqual(properties, { objectid: 'A', name: 'MADE UP', domain: 'X' });
    const row = { kinds: JSON.stringify(kinds), properties: JSON.stringify(properties), made_up: mark };
    assert.deepEqual(takeApart(row), { stated, madeUp });
  });

  it('gives way to what is stated, but not to an empty name', () => {
    const stated = { kinds: ['Group', 'Base'], properties: { name: 'STATED', domain: 'Y' } };
    assert.deepEqual(putTogether(stated, madeUp), { ...stated, mark: null });
    const unnamed = { kinds: ['Group', 'Base'], properties: { name: '', domain: 'Y' } };
    assert.equal(putTogether(unnamed, madeUp).properties.name, 'MADE UP');
  });
});

describe('names that were made up before they were marked', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());

  it('give way when the same file comes again', async () => {
    const { graph } = stores;
    const [damaged, sound] = ['S-1-5-21-1-2-3-1101', 'S-1-5-21-1-2-3-1102'];
    const file = {
      type: 'groups',
      data: [
        [damaged, 'DNSADMINS@CORP'],
        [sound, `(ODD) NAME`],
      ].map(([ObjectIdentifier, name]) => ({
        ObjectIdentifier,
        Properties: { name, domainsid: 'S-1-5-21-1-2-3', distinguishedname: 'CN=G' },
        Aces: [],
        Members: [],
      })),
    };
    await ingest(graph, file);
    const overwritten = `(CORP) ${damaged}`;
    await graph.transaction((db) =>
      db.execute('update nodes set name = $1, properties = $2 where object_id = $3', [
        overwritten,
        JSON.stringify({ objectid: damaged, name: overwritten, domainsid: 'S-1-5-21-1-2-3' }),
        damaged,
      ]),
    );
    const sql = await readFile(
      new URL('../../../../migrations/graph/0013_made_up.sql', import.meta.url),
      'utf8',
    );
    const updates = sql.split(';').filter((statement) => /^update/m.test(statement));
    assert.equal(updates.length, 2);
    for (const update of updates) await graph.transaction((db) => db.execute(update));
    const marked = async () =>
      (await graph.query<{ object_id: string }>('select object_id from nodes where made_up is not null')).map(
        (row) => row.object_id,
      );
    assert.deepEqual(await marked(), [damaged]);
    await ingest(graph, file);
    const { nodes } = await readGraph(graph);
    assert.equal(nodes[damaged]?.properties.name, 'DNSADMINS@CORP');
    assert.equal(nodes[sound]?.properties.name, '(ODD) NAME');
    assert.deepEqual(await marked(), []);
  });
});
