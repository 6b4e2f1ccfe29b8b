import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findConverter } from '../../src/graph/ingest/convert/converters.ts';
import { writeEstate, writeUsers } from './estate.ts';

interface Read {
  readonly meta: {
    readonly type: string;
    readonly count: number;
    readonly version: number;
    readonly methods: number;
  };
  readonly data: readonly object[];
}

describe('the generator of estates', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kennel-estate-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Read;
  const write = async (name: string, options: object = {}) => {
    const written = await writeEstate({ folder: join(folder, name), objects: 1500, ...options });
    return { ...written, texts: written.files.map((path) => readFileSync(path, 'utf8')) };
  };

  it('writes the same bytes for the same seed, and others for another seed or generation', async () => {
    const once = await write('once');
    assert.deepEqual((await write('again')).texts, once.texts);
    assert.notDeepEqual((await write('other', { seed: 2 })).texts, once.texts);
    const later = await write('later', { generation: 1 });
    assert.notDeepEqual(later.texts, once.texts);
    const ids = ({ files }: { files: readonly string[] }) =>
      files.flatMap((path) => read(path).data.map((object) => Reflect.get(object, 'ObjectIdentifier')));
    assert.deepEqual(ids(later), ids(once));
    assert.equal(new Set(ids(once)).size, once.objects);
  });

  it('writes what is read without a remark, as dense as real estates are', async () => {
    const { files, objects, bytes, domains } = await write('whole');
    assert.deepEqual([objects, domains.length], [1500, 3]);
    const nodes = new Set<string>();
    const edges = new Set<string>();
    const kinds = new Set<string>();
    for (const path of files) {
      const { meta, data } = read(path);
      assert.equal(meta.count, data.length);
      const converter = findConverter(meta.type);
      assert.ok(typeof converter === 'function', meta.type);
      for (const [index, record] of data.entries()) {
        const context = { methods: meta.methods, version: meta.version, index };
        const stated = converter(record, context);
        assert.deepEqual([...stated.problems, ...stated.warnings], [], basename(path));
        for (const node of stated.nodes) nodes.add(node.objectId);
        for (const { start, kind, end } of stated.edges) {
          kinds.add(kind);
          edges.add(`${start} ${kind} ${end}`);
        }
      }
    }
    const perObject = edges.size / objects;
    assert.ok(perObject > 7.5 && perObject < 9.5, `${perObject} edges for each object`);
    assert.ok(nodes.size < 1.2 * objects, `${nodes.size} nodes of ${objects} objects`);
    assert.ok(bytes / objects > 2000 && bytes / objects < 2800, `${bytes / objects} bytes for each object`);
    for (const kind of [
      ...['MemberOf', 'Contains', 'GPLink', 'HasSession', 'MemberOfLocalGroup', 'LocalToComputer'],
      ...['AllowedToDelegate', 'SQLAdmin', 'ReadLAPSPassword', 'ReadGMSAPassword', 'PublishedTo', 'Enroll'],
      ...['SameForestTrust', 'CrossForestTrust', 'DCFor', 'RootCAFor', 'OIDGroupLink', 'OwnsRaw'],
      ...['RemoteInteractiveLogonRight', 'HostsCAService', 'NTAuthStoreFor', 'ManageCA'],
    ]) {
      assert.ok(kinds.has(kind), kind);
    }
  });

  it('writes no more objects into a file than it is told', async () => {
    const { files, objects } = await write('parts', { objectsPerFile: 100 });
    const counts = files.map((path) => read(path).meta.count);
    assert.ok(Math.max(...counts) === 100);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      objects,
    );
  });

  it('writes one file of a given size', async () => {
    const path = join(folder, 'users.json');
    const { objects, bytes } = await writeUsers(path, 1_000_000);
    const { meta, data } = read(path);
    assert.deepEqual([meta.type, meta.count, data.length], ['users', objects, objects]);
    assert.equal(readFileSync(path).length, bytes);
    assert.ok(bytes >= 1_000_000 && bytes < 1_400_000);
  });
});
