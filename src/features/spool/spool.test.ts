import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeClient, makeJob } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { jobStatus } from '../jobs/index.ts';
import { createSpool } from './create-spool.ts';
import type { Spool } from './spool.ts';
import { chunkBytes, DatabaseSpool } from './spool-database.ts';
import { DirectorySpool } from './spool-directory.ts';
import { insertIngestFile } from './store.ts';
import { sweepSpool } from './sweep.ts';

const hour = 3_600_000;
let server: TestServer;
let jobId: number;
let clientId: string;

before(async () => {
  server = await startTestServer();
  const client = await makeClient(server.deps);
  clientId = client.id;
  jobId = await makeJob(server.deps, client, jobStatus.running);
});
after(() => server.stop());

async function* inPieces(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(spool: Spool, id: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of spool.open(id)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The row that makes the bytes count. */
function keep(spool: Spool, written: { id: string; bytes: number }): Promise<boolean> {
  return server.deps.db.transaction(async (db) => {
    await spool.hold(db, written);
    const received = {
      written,
      sha256: randomUUID(),
      encoding: 'identity',
      unpackedBytes: written.bytes,
    } as const;
    const file = { jobId, clientId, name: '', contentType: undefined, state: 'waiting', received } as const;
    return (await insertIngestFile(db, file, server.now())) !== undefined;
  });
}

const directory = () => join(server.deps.settings.dataDir, 'own-spool');
const kinds: [name: string, make: () => Spool, ids: () => Promise<string[]>][] = [
  [
    'DirectorySpool',
    () => new DirectorySpool(directory(), server.deps.db),
    async () => readdirSync(directory()),
  ],
  [
    'DatabaseSpool',
    () => new DatabaseSpool(server.deps.db, server.deps.clock),
    async () => {
      const sql = 'select distinct spool_id from ingest_chunks';
      return (await server.deps.db.query<{ spool_id: string }>(sql)).map((row) => row.spool_id);
    },
  ],
];

for (const [name, make, ids] of kinds) {
  describe(name, () => {
    it('gives back what was written, whatever the pieces', async () => {
      const spool = make();
      for (const [size, piece] of [
        [1, 1],
        [chunkBytes, 65_536],
        [chunkBytes + 1, 65_536],
        [3 * chunkBytes - 1, 1_000_003],
        [2 * chunkBytes, 2 * chunkBytes],
      ] as const) {
        const bytes = randomBytes(size);
        const written = await spool.write(inPieces(bytes, piece));
        assert.equal(written.bytes, size);
        assert.ok((await read(spool, written.id)).equals(bytes));
        const file = await spool.openAt(written);
        const [start, end] = [Math.floor(size / 3), size - Math.floor(size / 5)];
        assert.equal(file.size, size);
        assert.ok(bytes.subarray(start, end).equals(await file.read(start, end - start)));
        assert.ok(bytes.equals(await file.read(0, size)));
        await file.close();
        await spool.remove(written.id);
      }
      assert.deepEqual(await ids(), []);
    });

    it('leaves nothing behind when the stream fails, and passes its error on', async () => {
      async function* failing() {
        yield randomBytes(chunkBytes + 5);
        throw new RangeError('stop');
      }
      await assert.rejects(make().write(failing()), RangeError);
      assert.deepEqual(await ids(), []);
    });

    it('can remove what is not there, and not open it', async () => {
      await make().remove(randomUUID());
      await assert.rejects(read(make(), randomUUID()));
    });

    it('gives up what no row names, and nothing else', async () => {
      const spool = make();
      const kept = await spool.write(inPieces(Buffer.from('kept'), 4));
      const stray = await spool.write(inPieces(Buffer.from('stray'), 4));
      await keep(spool, kept);
      for (const { id } of [kept, stray]) await spool.giveUp(id);
      assert.deepEqual(await ids(), [kept.id]);
      await spool.remove(kept.id);
    });

    it('sweeps away what is old and has no row', async () => {
      const spool = make();
      const written = [];
      for (const text of ['kept', 'stray', 'stray too'])
        written.push(await spool.write(inPieces(Buffer.from(text), 4)));
      const [kept] = written;
      assert.ok(kept);
      await keep(spool, kept);
      await spool.sweep(server.now() - hour);
      assert.deepEqual((await ids()).sort(), written.map(({ id }) => id).sort());
      await spool.sweep(server.now() + hour);
      assert.deepEqual(await ids(), [kept.id]);
      assert.equal((await read(spool, kept.id)).toString(), 'kept');
      await spool.remove(kept.id);
    });
  });
}

describe('DirectorySpool', () => {
  it('is for its owner only, and keeps a body under a name that says nothing', async () => {
    const spool = new DirectorySpool(directory(), server.deps.db);
    const { id } = await spool.write(inPieces(Buffer.from('secret'), 6));
    assert.equal(statSync(directory()).mode & 0o777, 0o700);
    assert.equal(statSync(join(directory(), id)).mode & 0o777, 0o600);
    await spool.remove(id);
  });

  it('sweeps away files that are half written, unless they still change or are not its own', async () => {
    const [old, fresh] = [`${randomUUID()}.part`, `${randomUUID()}.part`];
    const past = server.now() / 1000 - 7200;
    for (const [name, at] of [
      [old, past],
      ['notes.part', past],
      [fresh, server.now() / 1000],
    ] as const) {
      const path = join(directory(), name);
      writeFileSync(path, '{');
      utimesSync(path, at, at);
    }
    await new DirectorySpool(directory(), server.deps.db).sweep(server.now() - hour);
    assert.deepEqual(readdirSync(directory()).sort(), [fresh, 'notes.part'].sort());
  });

  it('has nothing to sweep before the first body', async () => {
    await new DirectorySpool(join(directory(), 'none'), server.deps.db).sweep(server.now());
  });
});

describe('DatabaseSpool', () => {
  it('does not let a body count whose beginning was swept away', async () => {
    const spool = new DatabaseSpool(server.deps.db, server.deps.clock);
    const written = await spool.write(inPieces(randomBytes(2 * chunkBytes), chunkBytes));
    await server.deps.db.transaction((db) =>
      db.execute('delete from ingest_chunks where spool_id = $1 and part = 0', [written.id]),
    );
    await assert.rejects(keep(spool, written), { code: 'unavailable' });
    await spool.remove(written.id);
  });

  it('does not sweep what is still arriving', async () => {
    const spool = new DatabaseSpool(server.deps.db, server.deps.clock);
    async function* slow() {
      yield randomBytes(chunkBytes);
      server.advance(2 * hour);
      yield randomBytes(chunkBytes);
      yield randomBytes(chunkBytes);
      await spool.sweep(server.now() - hour);
    }
    const written = await spool.write(slow());
    assert.equal(await keep(spool, written), true);
    assert.equal((await read(spool, written.id)).length, 3 * chunkBytes);
    await spool.remove(written.id);
  });
});

describe('sweepSpool', () => {
  it('removes what is older than an hour from the spool of the store', async () => {
    // The files of a directory know the time of the machine, not the one that a test made up.
    const own = await startTestServer();
    const spool = createSpool(own.deps);
    const { id } = await spool.write(inPieces(Buffer.from('{}'), 2));
    await sweepSpool(own.deps);
    assert.equal((await read(spool, id)).toString(), '{}');
    own.advance(hour + 10_000);
    await sweepSpool(own.deps);
    await assert.rejects(read(spool, id));
    await own.stop();
  });
});
