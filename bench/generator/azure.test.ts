import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { convertAzureItem } from '../../src/graph/ingest/convert/azure.ts';
import { writeTenant } from './azure.ts';

describe('the generator of tenants', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kennel-tenant-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const write = async (name: string, seed = 1) => {
    const path = join(folder, name);
    const written = await writeTenant({ path, objects: 1900, seed });
    return { ...written, text: readFileSync(path, 'utf8') };
  };

  it('writes the same bytes for the same seed, and others for another', async () => {
    const { text, bytes } = await write('once.json');
    assert.equal(bytes, Buffer.byteLength(text));
    assert.equal((await write('again.json')).text, text);
    assert.notEqual((await write('other.json', 2)).text, text);
  });

  it('writes what is read without a remark, as many of each as it should be', async () => {
    const { text, objects, records, memberships } = await write('whole.json');
    const { data, meta } = JSON.parse(text);
    assert.deepEqual(meta, { type: 'azure', version: 5, count: records });
    const nodes = new Map<string, string>();
    const edges = new Map<string, string>();
    for (const [index, item] of data.entries()) {
      const stated = convertAzureItem(item, { methods: 0, version: 5, index });
      assert.deepEqual([stated.problems, stated.warnings, stated.skipped], [[], [], undefined]);
      for (const { objectId, kinds } of stated.nodes) nodes.set(objectId, String(kinds[0]));
      for (const { start, kind, end } of stated.edges) edges.set(`${start} ${kind} ${end}`, kind);
    }
    const count = (values: Iterable<string>, value: string) => [...values].filter((v) => v === value).length;
    assert.deepEqual(
      ['AZTenant', 'AZUser', 'AZGroup', 'AZApp', 'AZServicePrincipal'].map((kind) =>
        count(nodes.values(), kind),
      ),
      [1, 1000, 500, 200, 200],
    );
    assert.deepEqual([nodes.size, objects], [1901, 1901]);
    assert.deepEqual([count(edges.values(), 'AZMemberOf'), memberships], [5000, 5000]);
    assert.equal(count(edges.values(), 'AZContains'), 1900);
  });
});
