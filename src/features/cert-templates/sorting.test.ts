import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { insertGraph, type NewNode } from '../../graph/store.ts';

interface Entry {
  readonly objectID: string;
  readonly name: string;
  readonly label: string;
  readonly kinds: string[];
}

let serial = 0;

describe('GET /api/v2/certtemplates/:object_id/published-to-cas, sorted', () => {
  let server: TestServer;
  let reader: MadeUser;

  const get = (template: string, query: string) =>
    server.call('GET', `/api/v2/certtemplates/${template}/published-to-cas?${query}`, {
      token: reader.token,
    });
  /** Object ids get a prefix of their own, the same for all: it does not change their order. */
  const publish = async (authorities: readonly { id: string; name: string; kinds?: readonly string[] }[]) => {
    const prefix = `T${++serial}-`;
    const template = `${prefix}TEMPLATE`;
    const nodes: NewNode[] = authorities.map(({ id, name, kinds = ['EnterpriseCA'] }) => ({
      objectId: prefix + id,
      kinds,
      name,
    }));
    const edges = nodes.map(({ objectId }) => ({ start: template, kind: 'PublishedTo', end: objectId }));
    const root = { objectId: template, kinds: ['CertTemplate'], name: template };
    await server.deps.graph.transaction((graph) => insertGraph(graph, [root, ...nodes], edges, server.now()));
    return { template, prefix };
  };
  const entriesOf = async (template: string, query: string): Promise<Entry[]> => {
    const { status, body } = await get(template, query);
    assert.equal(status, 200, query);
    return body.data;
  };

  before(async () => {
    server = await startTestServer();
    reader = await makeUser(server.deps, 'Read-Only');
  });

  after(() => server.stop());

  it('answers 200 by name and then objectID, or by the keys in the order given', async () => {
    const { template, prefix } = await publish([
      { id: '3', name: 'B', kinds: ['EnterpriseCA'] },
      { id: '1', name: 'B', kinds: ['Group'] },
      { id: '4', name: 'A', kinds: ['Group'] },
      { id: '2', name: 'A', kinds: ['EnterpriseCA'] },
    ]);
    const orders: Record<string, string> = {
      '': '2413',
      'sort_by=name': '2413',
      'sort_by=-name': '1324',
      'sort_by=objectID': '1234',
      'sort_by=objectid': '1234',
      'sort_by=-objectID': '4321',
      'sort_by=-objectid': '4321',
      'sort_by=label': '2314',
      'sort_by=-label': '1423',
      'sort_by=label&sort_by=name': '2341',
      'sort_by=label&sort_by=-name': '3214',
      'sort_by=-label&sort_by=-objectID': '4132',
      'sort_by=name&sort_by=-objectid': '4231',
      'sort_by=name&sort_by=-name': '2413',
    };
    for (const [query, expected] of Object.entries(orders)) {
      const ids = (await entriesOf(template, query)).map(({ objectID }) => objectID.replace(prefix, ''));
      assert.equal(ids.join(''), expected, query);
    }
  });

  it('answers 200 by code point, not by UTF-16 unit or locale', async () => {
    // U+1F415 is written with units from U+D83D on, which lie before the private-use U+E000.
    const ascending = ['', '-', 'A', 'AB', 'Z', 'a', 'é', '\ue000', '\uffee', '\u{10000}', '\u{1f415}'];
    const { template } = await publish(ascending.map((name, id) => ({ id: String(99 - id), name })));
    const names = async (query: string) =>
      (await entriesOf(template, `limit=20&${query}`)).map(({ name }) => name);
    assert.deepEqual(await names('sort_by=name'), ascending);
    assert.deepEqual(await names('sort_by=-name'), ascending.toReversed());
  });

  it('answers 200 with object ids by code point too', async () => {
    const ascending = ['A', 'Z', '\ue000', '\u{1f415}'];
    const { template, prefix } = await publish(ascending.map((id) => ({ id, name: 'same' })).reverse());
    const ids = (await entriesOf(template, '')).map(({ objectID }) => objectID.replace(prefix, ''));
    assert.deepEqual(ids, ascending);
  });

  it('answers 400 to a column that cannot be sorted', async () => {
    const { template } = await publish([{ id: '1', name: 'A' }]);
    const shown: Record<string, string> = {
      size: 'size',
      '-size': '-size',
      Name: 'Name',
      OBJECTID: 'OBJECTID',
      kinds: 'kinds',
      '--name': '--name',
      'name,label': 'name,label',
      '%20name': ' name',
      constructor: 'constructor',
      // An empty name would be invisible in the message.
      '': '""',
      '-': '"-"',
    };
    for (const [given, column] of Object.entries(shown)) {
      const { status, body } = await get(template, `sort_by=${given}`);
      assert.equal(status, 400, given);
      assert.deepEqual(body.errors, [
        { context: 'sort_by', message: `the specified column cannot be sorted: ${column}` },
      ]);
    }
  });

  it('answers 400 with every column that cannot be sorted, and whatever else is wrong', async () => {
    const { template } = await publish([{ id: '1', name: 'A' }]);
    const columns = 'sort_by=name&sort_by=size&sort_by=-label&sort_by=-age';
    const { status, body } = await get(template, `${columns}&skip=-1`);
    assert.equal(status, 400);
    assert.deepEqual(
      body.errors.map(({ message }: { message: string }) => message),
      [
        'skip must be a whole number of at least 0 that fits 32 bits, but is "-1"',
        'the specified column cannot be sorted: size',
        'the specified column cannot be sorted: -age',
      ],
    );
  });

  it('answers 400, not 404, to a wrong column of a template that does not exist', async () => {
    assert.equal((await get('NOTHING', 'sort_by=size')).status, 400);
  });

  it('answers 200 with pages that add up to the whole list in order, for any authorities', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'B', '-', 'é', '\ue000', '\ufffd', '\u{1f415}'),
      maxLength: 3,
    });
    const kinds = fc.constantFrom(['EnterpriseCA'], ['Base', 'Group'], ['Tag_Tier_Zero', 'User'], []);
    const authorities = fc.uniqueArray(fc.record({ id: text, name: text, kinds }), {
      selector: ({ id }) => id.toUpperCase(),
      maxLength: 12,
    });
    const key = fc.constantFrom('name', '-name', 'objectID', '-objectID', 'label', '-label', '-objectid');
    await fc.assert(
      fc.asyncProperty(
        authorities,
        fc.array(key, { maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        async (made, keys, size) => {
          const { template, prefix } = await publish(made);
          const sortBy = keys.map((key) => `&sort_by=${key}`).join('');
          const pages: Entry[] = [];
          for (let skip = 0; skip === 0 || skip < made.length; skip += size) {
            const page = await entriesOf(template, `skip=${skip}&limit=${size}${sortBy}`);
            assert.equal(page.length, Math.min(size, made.length - skip));
            pages.push(...page);
          }
          const expected = made.map(({ id, name, kinds }) => ({
            objectID: prefix + id.toUpperCase(),
            name,
            label: labels.get(kinds.join()) ?? '',
            kinds: [...kinds].sort(),
          }));
          assert.deepEqual(pages, expected.sort(referenceOrder(keys)));
        },
      ),
      { numRuns: 40 },
    );
  });
});

const labels = new Map([
  ['EnterpriseCA', 'EnterpriseCA'],
  ['Base,Group', 'Group'],
  ['Tag_Tier_Zero,User', 'User'],
  ['', 'Unknown'],
]);

/** The order of UTF-8 bytes is the order of code points. */
function referenceOrder(keys: readonly string[]): (a: Entry, b: Entry) => number {
  const columns = [...(keys.length === 0 ? ['name'] : keys), 'objectID'];
  const steps = columns.map((key) => {
    const column = key.replace('-', '').replace('objectid', 'objectID') as 'name' | 'objectID' | 'label';
    const sign = key.startsWith('-') ? -1 : 1;
    return (a: Entry, b: Entry) => sign * Buffer.compare(Buffer.from(a[column]), Buffer.from(b[column]));
  });
  return (a, b) => steps.map((step) => step(a, b)).find((order) => order !== 0) ?? 0;
}
