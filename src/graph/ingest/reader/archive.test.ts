import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { type ZipEntry, zip } from '../../../../test/collectors/zip.ts';
import { type Archive, openArchive } from './archive.ts';
import { type ArchiveLimits, defaultArchiveLimits, defaultReadLimits } from './limits.ts';
import { FileProblem } from './problem.ts';
import { FileAccess, isZip, type RandomAccess, readRange } from './random-access.ts';
import { readFile } from './read-records.ts';

class Bytes implements RandomAccess {
  readonly size: number;
  readTotal = 0;
  reads = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    assert.ok(offset >= 0 && length >= 0 && offset + length <= this.size, `read of ${length} at ${offset}`);
    this.readTotal += length;
    this.reads += 1;
    return this.#bytes.subarray(offset, offset + length);
  }
}

const open = (bytes: Buffer, limits: Partial<ArchiveLimits> = {}): Promise<Archive> =>
  openArchive(new Bytes(bytes), { ...defaultArchiveLimits, ...limits });

async function contentOf(file: { open(): AsyncIterable<Uint8Array> } | undefined): Promise<string> {
  assert.ok(file);
  const parts: Uint8Array[] = [];
  for await (const chunk of file.open()) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts).toString();
}

const users = '{"data":[{"a":1}],"meta":{"type":"users"}}';

describe('openArchive', () => {
  it('gives the files with their bytes, as often as they are opened', async () => {
    const archive = await open(
      zip([
        { name: 'users.json', content: users },
        { name: 'folder/', says: { method: 0, mode: 0o040755 } },
        { name: 'folder/stored é.json', content: 'stored', says: { method: 0, mode: 0o100644 } },
        { name: './windows\\empty.json' },
      ]),
    );
    assert.deepEqual(
      archive.files.map(({ name, size, problem }) => [name, size, problem]),
      [
        ['users.json', users.length, undefined],
        ['folder/stored é.json', 6, undefined],
        ['./windows/empty.json', 0, undefined],
      ],
    );
    for (const _ of [1, 2]) assert.equal(await contentOf(archive.files[0]), users);
    assert.equal(await contentOf(archive.files[1]), 'stored');
    assert.equal(await contentOf(archive.files[2]), '');
  });

  it('passes over hidden files and those of macOS', async () => {
    const names = ['__MACOSX/._users.json', '.DS_Store', 'a/.hidden', '.git/config', '__MACOSX/', '.x/'];
    const archive = await open(zip([...names, 'users.json'].map((name) => ({ name, content: 'x' }))));
    assert.deepEqual(
      archive.files.map(({ name }) => name),
      ['users.json'],
    );
    assert.deepEqual(archive.ignored, names.slice(0, 4));
  });

  it('reads from a file on disk, and its entries are files for readFile', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kennel-archive-'));
    try {
      const path = join(folder, 'a.zip');
      await writeFile(path, zip([{ name: 'users.json', content: users }]));
      const source = await FileAccess.open(path);
      assert.equal(await isZip(source), true);
      const [file] = (await openArchive(source, defaultArchiveLimits)).files;
      const kinds: string[] = [];
      for await (const batch of readFile(() => file?.open() ?? readRange(source), defaultReadLimits)) {
        kinds.push(...batch.map((event) => event.kind));
      }
      assert.deepEqual(kinds, ['envelope', 'record', 'end']);
      await source.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('asks the source for blocks, not for every entry', async () => {
    const source = new Bytes(
      zip(Array.from({ length: 500 }, (_, i) => ({ name: `${i}.json`, content: 'x' }))),
    );
    assert.equal((await openArchive(source, defaultArchiveLimits)).files.length, 500);
    assert.ok(source.reads < 10, `${source.reads} reads`);
  });

  it('passes on what the source throws as it is', async () => {
    const failure = new Error('the store is gone');
    const source = { size: 1000, read: () => Promise.reject(failure) };
    await assert.rejects(openArchive(source, defaultArchiveLimits), (error) => error === failure);
  });

  it('knows an archive by its first bytes', async () => {
    for (const [bytes, expected] of [
      [zip([{ name: 'a' }]), true],
      [zip([]), true],
      [Buffer.from('{"PK":1}'), false],
      [Buffer.from('PK'), false],
    ] as const) {
      assert.equal(await isZip(new Bytes(bytes)), expected);
    }
  });
});

describe('an entry that is refused', () => {
  const large = Buffer.alloc(3_000_000, '[');
  for (const [entry, reason, limit] of [
    [{ name: '../users.json' }, /leads out of the archive/],
    [{ name: 'a\\..\\..\\users.json' }, /leads out of the archive/],
    [{ name: '/etc/passwd' }, /absolute path/],
    [{ name: 'C:\\users.json' }, /absolute path/],
    [{ name: 'a\0.json' }, /zero byte/],
    [{ name: '' }, /name is empty/],
    [{ name: 'link.json', content: '/etc/passwd', says: { mode: 0o120777 } }, /symbolic link/],
    [{ name: 'pipe', says: { mode: 0o010644 } }, /special file/],
    [{ name: 'secret.json', says: { flags: 1 } }, /encrypted/],
    [{ name: 'a.json', says: { method: 14 } }, /method 14/],
    [{ name: 'a.json', content: 'abc', says: { method: 0, size: 9 } }, /two sizes/],
    [{ name: 'inner.ZIP', content: 'PK' }, /inside a zip archive/],
    [{ name: 'large.json', content: large }, /more than 200 times/, 'ratio'],
    [
      { name: 'a.json', content: 'x', says: { size: 2_000_000_000 } },
      /more than 200 times|more than/,
      'entryBytes',
    ],
  ] as const satisfies readonly (readonly [ZipEntry, RegExp, string?])[]) {
    it(`${JSON.stringify(entry.name)}: ${reason.source}`, async () => {
      const source = new Bytes(zip([entry, { name: 'good.json', content: users }]));
      const limits = { ...defaultArchiveLimits, entryBytes: 1_000_000_000 };
      const { files } = await openArchive(source, limits);
      assert.match(files[0]?.problem?.reason ?? '', reason);
      assert.equal(files[0]?.problem?.limit, limit);
      const before = source.readTotal;
      await assert.rejects(contentOf(files[0]), (error) => error === files[0]?.problem);
      assert.equal(source.readTotal, before);
      assert.equal(await contentOf(files[1]), users);
    });
  }

  for (const [name, entry, reason] of [
    [
      'a zip archive by another name',
      { name: 'a.json', content: zip([{ name: 'b' }]) },
      /inside a zip archive/,
    ],
    [
      'more than it says',
      { name: 'a.json', content: large, says: { size: 20 } },
      /more than the archive states/,
    ],
    [
      'less than it says',
      { name: 'a.json', content: users, says: { size: 900 } },
      /less than the archive states/,
    ],
    ['a wrong checksum', { name: 'a.json', content: users, says: { crc: 7 } }, /checksum is wrong/],
    [
      'data that is no deflate',
      { name: 'a.json', content: '\xff'.repeat(9), says: { method: 0 } },
      undefined,
    ],
    ['a cut end', { name: 'a.json', content: users, says: { compressedSize: 20 } }, /ends too early/],
    [
      'a header that reaches into others',
      { name: 'a.json', content: users, says: { extraLength: 99 } },
      /overlaps/,
    ],
  ] as const satisfies readonly (readonly [string, ZipEntry, RegExp | undefined])[]) {
    it(`has ${name}`, async () => {
      const bytes = zip([entry]);
      if (reason === undefined) {
        bytes.writeUInt16LE(8, 8);
        bytes.writeUInt16LE(8, bytes.indexOf('PK\x01\x02') + 10);
      }
      const { files } = await open(bytes);
      assert.equal(files[0]?.problem, undefined);
      await assert.rejects(contentOf(files[0]), {
        name: 'FileProblem',
        reason: reason ?? /compressed data is damaged/,
      });
    });
  }
});

describe('an archive that is refused', () => {
  const two = [
    { name: 'a.json', content: users },
    { name: 'b.json', content: users },
  ] as const;
  const dataLength = deflateRawSync(users).length;
  for (const [name, bytes, reason, limit] of [
    ['too many entries', zip(two, 60_000), /more than 10000 entries/, 'entries'],
    [
      'more in total',
      zip([two[0], { name: 'b', content: 'x', says: { size: 0xfffffff0 } }]),
      /unpacks to more/,
      'totalBytes',
    ],
    ['a long name', zip([{ name: 'a'.repeat(2000) }]), /name longer than 1024/, 'nameBytes'],
    ['two names for the same bytes', zip([two[0], { ...two[1], says: { headerOffset: 0 } }]), /overlapping/],
    [
      'one entry around another',
      zip([{ ...two[0], says: { compressedSize: 2 * dataLength } }, two[1]]),
      /overlapping/,
    ],
    [
      'an entry in its own list',
      zip([{ ...two[0], says: { compressedSize: 2 * dataLength } }]),
      /overlapping/,
    ],
    ['an entry beyond its end', zip([{ ...two[0], says: { headerOffset: 0xfffffff } }]), /overlapping/],
    ['strong encryption', zip([{ ...two[0], says: { flags: 0x41 } }]), /is encrypted/],
    ['more entries stated than listed', zip(two, 3), /damaged or cut off/],
    ['no end', zip(two).subarray(0, -30), /damaged or cut off/],
    ['nothing but its first bytes', Buffer.from('PK\x03\x04'), /damaged or cut off/],
  ] as const) {
    it(`has ${name}`, async () => {
      const source = new Bytes(bytes);
      const limits = { ...defaultArchiveLimits, totalBytes: 0xfffffff0 };
      await assert.rejects(openArchive(source, limits), {
        name: 'FileProblem',
        reason,
        limit: limit ?? undefined,
      });
      assert.ok(source.readTotal <= 200_000);
    });
  }

  it('never ends in anything but a problem, whatever is changed in it', async () => {
    const good = zip([...two, { name: 'c/', says: { method: 0 } }]);
    const change = fc.record({ at: fc.nat(good.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = Buffer.from(good);
        for (const { at, byte } of changes) bytes[at] = byte;
        try {
          for (const file of (await open(bytes)).files) await contentOf(file);
        } catch (error) {
          assert.ok(error instanceof FileProblem, String(error));
        }
      }),
      { numRuns: 1500, interruptAfterTimeLimit: 1500 },
    );
  });
});
