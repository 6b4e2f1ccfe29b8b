import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import zlib, { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { spooled } from '../../../test/collectors/ingest.ts';
import {
  caFile,
  readAll,
  type SentFile,
  sendFile,
  startUpload,
  tasksOf,
  upload,
  uploadOf,
} from '../../../test/collectors/uploads.ts';
import { type ZipEntry, zip } from '../../../test/collectors/zip.ts';
import { exported } from '../../../test/graph/exported.ts';
import { makeClient, makeJob, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { findJob, jobStatus } from '../jobs/index.ts';

const mebibyte = 1024 * 1024;

let server: TestServer;
let token: string;
let before0: Awaited<ReturnType<typeof exported>>;

before(async () => {
  server = await startTestServer();
  token = (await makeUser(server.deps)).token;
  await upload(server, token, [{ body: caFile([1, 2]) }]);
  await readAll(server.deps);
  before0 = await exported(server.deps.graph);
  assert.ok(before0.graph.edges.length > 0);
});
after(() => server.stop());

/** What came out of zlib, whoever asked for it. */
let inflated = 0;
for (const stream of [zlib.Gunzip, zlib.Inflate, zlib.InflateRaw]) {
  const prototype = (stream as unknown as { prototype: { push(chunk: Buffer | null): boolean } }).prototype;
  const { push } = prototype;
  prototype.push = function (chunk) {
    inflated += chunk?.length ?? 0;
    return push.call(this, chunk);
  };
}

/** So many MiB of blanks in a few KiB; what comes after the last of them is missing. */
function blanks(mib: number, head = ''): Buffer {
  const flush = { finishFlush: constants.Z_FULL_FLUSH };
  const one = deflateRawSync(Buffer.alloc(mebibyte, ' '), flush);
  return Buffer.concat([
    deflateRawSync(Buffer.from(head), flush),
    ...Array.from({ length: mib }, () => one),
    Buffer.from([3, 0]),
  ]);
}

function gzipped(deflated: Buffer): Buffer {
  return Buffer.concat([Buffer.from('1f8b0800000000000003', 'hex'), deflated, Buffer.alloc(8)]);
}

/** An archive with one entry of which nothing is true but its compressed bytes. */
function archiveOf(deflated: Buffer, size: number): Buffer {
  const says = { method: 8, compressedSize: deflated.length, size };
  const name = 'a.json';
  const [plain, list] = [zip([{ name, content: '', says: { ...says, method: 0 } }]), 30 + name.length];
  const bytes = Buffer.concat([plain.subarray(0, list), deflated, plain.subarray(list)]);
  bytes.writeUInt16LE(8, 8);
  bytes.writeUInt16LE(8, list + deflated.length + 10);
  bytes.writeUInt32LE(list + deflated.length, bytes.length - 6);
  return bytes;
}

const one = (name: string, content: string | Buffer = caFile([3]), says: ZipEntry['says'] = {}) =>
  zip([{ name, content, says }]);
const data = (text: string) =>
  `{"meta":{"type":"enterprisecas","methods":0,"version":6,"count":1},"data":[${text}]}`;
const ca = (properties: string) =>
  data(`{"ObjectIdentifier":"CA-X","Properties":${properties},"EnabledCertTemplates":[],"Aces":[]}`);
const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const invalid = Buffer.concat([
  Buffer.from(data('').slice(0, -2)),
  Buffer.from([0x22, 0xff, 0xc3, 0x22]),
  Buffer.from(']}'),
]);

interface Bounds {
  /** MiB that may come out of zlib. */
  readonly mostMib?: number;
  /** Byte of the text at which it must have been noticed. */
  readonly mostByte?: number;
}
type Hostile = readonly [name: string, body: string | Buffer, reason: RegExp, bounds?: Bounds];

const archives: readonly Hostile[] = [
  ['ratio', archiveOf(blanks(1024), 1024 * mebibyte), /a\.json: it unpacks to more than 200 times its size/],
  [
    'ratio that is not told',
    archiveOf(blanks(1024, '{'), mebibyte),
    /a\.json: it unpacks to more than the archive states/,
    { mostMib: 4 },
  ],
  [
    'total',
    zip(Array.from({ length: 17 }, (_, n) => ({ name: `${n}`, says: { size: 0xffff_fffe } }))),
    /the archive unpacks to more than 68719476736 bytes/,
  ],
  [
    'entries',
    zip(Array.from({ length: 10_001 }, (_, n) => ({ name: `${n}`, content: '' }))),
    /the archive has more than 10000 entries/,
  ],
  ['more entries than it states', zip([{ name: 'a.json' }, { name: 'b.json' }], 60_000), /more than 10000/],
  [
    'overlap',
    zip([
      { name: 'a.json', content: caFile([3]) },
      { name: 'b.json', content: caFile([3]), says: { headerOffset: 0 } },
    ]),
    /the archive has overlapping entries/,
  ],
  [
    'overlap in the middle',
    zip([
      { name: 'a.json', content: caFile([3]) },
      { name: 'b.json', content: caFile([3]), says: { headerOffset: 20 } },
    ]),
    /the archive has overlapping entries/,
  ],
  ['nested', one('in.zip', one('a.json')), /in\.zip: it is a zip archive inside a zip archive/],
  ['nested by another name', one('in.json', one('a.json')), /in\.json: it is a zip archive inside/],
  ['symbolic link', one('link', '/etc/passwd', { mode: 0o120777 }), /link: it is a symbolic link/],
  ['device', one('tty', '', { mode: 0o020666 }), /tty: it is a special file/],
  ['absolute name', one('/etc/a.json'), /its name is an absolute path/],
  ['absolute name of Windows', one('C:\\a.json'), /its name is an absolute path/],
  ['name with ..', one('a/../../a.json'), /its name leads out of the archive with "\.\."/],
  ['name with .. of Windows', one('..\\a.json'), /its name leads out of the archive/],
  ['long name', one('n'.repeat(2000)), /a name longer than 1024 bytes/],
  ['encrypted', one('a.json', caFile([3]), { flags: 1 }), /a\.json: it is encrypted/],
  ['cut off', one('a.json').subarray(0, -30), /the archive is damaged or cut off/],
  ['wrong checksum', one('a.json', caFile([3]), { crc: 7 }), /a\.json: it is damaged: its checksum/],
];

const texts: readonly Hostile[] = [
  ['nested 65 deep', data(nested(65)), /record 0 of data, byte \d+: .*nested deeper than 64/],
  [
    'nested without end',
    data('[').slice(0, -2) + '['.repeat(mebibyte),
    /nested deeper than 64/,
    { mostByte: 200 },
  ],
  ['nested beside the records', `{"x":${nested(100)},${data('').slice(1)}`, /nested deeper than 64/],
  ['number too large', ca('{"n":1e999}'), /record 0 of data.* a number that is out of range/],
  ['number with too many digits', ca(`{"n":${'9'.repeat(400)}}`), /a number that is out of range/],
  ['text too long', ca(`{"t":"${'x'.repeat(1_100_000)}"}`), /record 0 of data.*longer than 1048576 bytes/],
  ['member name too long', ca(`{"${'x'.repeat(1_100_000)}":1}`), /longer than 1048576 bytes/],
  [
    'a million keys',
    ca(keys(1_000_000)),
    /record 0 of data.* more than 10000 members/,
    { mostByte: 2 * 10 ** 5 },
  ],
  ['a million members of its own', `{${keys(1_000_000).slice(1, -1)}}`, /more than 10000 members/],
  ['values without end', data(`[${'[],'.repeat(4_100_000)}0]`), /more than 4000000 values/],
  ['invalid UTF-8', invalid, /byte \d+: this is not valid UTF-8/],
  [
    'half of a character',
    Buffer.from(`${caFile([3]).slice(0, -1)}é`).subarray(0, -1),
    /inside a character|UTF-8/,
  ],
  ['__proto__ as a record', data('{"__proto__":{"ObjectIdentifier":"X"}}'), /record 0 of data.*"__proto__"/],
  ['__proto__ as a property', ca('{"__proto__":{"name":"X"}}'), /record 0 of data.*"__proto__"/],
  ['__proto__ with escapes', ca('{"_\\u005Fpr\\u006fto__":"X"}'), /record 0 of data.*"__proto__"/],
  ['__proto__ of the file', `{"__proto__":{},${caFile([3]).slice(1)}`, /byte \d+: .*"__proto__"/],
  ['half-way through', caFile([3, 4]).replace('"CA-4@', '"\\x@'), /record 1 of data, byte \d+: .*escape/],
  ['cut off', caFile([3, 4]).slice(0, 400), /byte 400: the file ends too early/],
];

/** None of them is kept at all. */
const bodies: readonly (readonly [...Hostile, status: 400 | 413, encoding: string])[] = [
  ['truncated gzip', gzipSync(caFile([3])).subarray(0, -9), /not valid gzip data/, {}, 400, 'gzip'],
  ['gzip with a wrong checksum', gzipped(blanks(1, '{')), /not valid gzip data/, {}, 400, 'gzip'],
  ['no gzip', caFile([3]), /not valid gzip data/, {}, 400, 'gzip'],
  [
    'gzip bomb',
    gzipped(blanks(2000, '{')),
    /at most 200 times its size, beyond 64 MiB/,
    { mostMib: 70 },
    413,
    'gzip',
  ],
  ['no object', '[]', /begin with \{/, {}, 400, 'identity'],
];

/** Runs it and checks that neither the graph nor much memory came of it. */
async function harmless({ mostMib = 1 }: Bounds, work: () => Promise<void>): Promise<void> {
  inflated = 0;
  const peak = process.resourceUsage().maxRSS;
  await work();
  assert.ok(inflated <= mostMib * mebibyte, `${inflated} bytes were unpacked`);
  const grown = (process.resourceUsage().maxRSS - peak) / 1024;
  assert.ok(grown < 200, `memory grew by ${grown} MiB`);
  assert.deepEqual(await exported(server.deps.graph), before0);
}

function checkByte(message: string, { mostByte }: Bounds): void {
  const byte = Number(/byte (\d+)/.exec(message)?.[1]);
  if (mostByte !== undefined) assert.ok(byte <= mostByte, `it was read up to ${message.slice(0, 100)}`);
}

describe('a hostile file that a person uploads', () => {
  for (const [isZip, list] of [
    [true, archives],
    [false, texts],
  ] as const) {
    for (const [name, body, reason, bounds = {}] of list) {
      it(`fails by name and reason, and changes nothing: ${name}`, () =>
        harmless(bounds, async () => {
          const fileName = isZip ? 'hostile.zip' : 'hostile.json';
          const type = isZip ? 'application/zip' : 'application/json';
          const id = await upload(server, token, [{ body, name: fileName, type }]);
          assert.equal(await readAll(server.deps), 1);
          const { status, status_message } = await uploadOf(server, token, id);
          assert.equal(status, jobStatus.failed, status_message);
          assert.match(status_message, reason);
          const [task] = await tasksOf(server, token, id);
          assert.deepEqual([task.outcome, task.nodes, task.edges], ['failed', 0, 0]);
          assert.ok([task.file_name, task.parent_file_name].includes(fileName));
          checkByte(task.errors[0], bounds);
        }));
    }
  }

  for (const [name, body, reason, bounds = {}, status, encoding] of bodies) {
    it(`is refused with ${status}, and nothing of it is kept: ${name}`, () =>
      harmless(bounds, async () => {
        const kept = await spooled(server.deps);
        const id = await startUpload(server, token);
        const file: SentFile = { body, type: 'application/json', encoding };
        const answer = await sendFile(server, token, id, file);
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.body.errors[0].message, reason);
        assert.deepEqual(await spooled(server.deps), kept);
        await server.call('POST', `/api/v2/file-upload/${id}/cancel`, { token });
      }));
  }
});

describe('hostile data that a collector sends', () => {
  const post = (collector: string, body: string | Buffer, encoding: string) =>
    server.call('POST', '/api/v2/ingest', {
      token: collector,
      body,
      headers: { 'content-encoding': encoding },
    });

  for (const [name, body, reason, bounds = {}] of texts) {
    it(`makes its job invalid, with the reason, and changes nothing: ${name}`, () =>
      harmless({ ...bounds, mostMib: 60 }, async () => {
        const collector = await makeClient(server.deps);
        const job = await makeJob(server.deps, collector, jobStatus.running);
        assert.equal((await post(collector.token, gzipSync(body), 'gzip')).status, 202);
        const end = { token: collector.token, body: { status: 'COMPLETE' } };
        assert.equal((await server.call('POST', '/api/v2/jobs/end', end)).status, 200);
        assert.equal(await readAll(server.deps), 1);
        const row = await findJob(server.deps.db, job);
        assert.equal(row?.status, jobStatus.invalid);
        assert.match(row?.status_message ?? '', reason);
      }));
  }

  for (const [name, body, reason, bounds = {}, status, encoding] of bodies) {
    it(`is refused with ${status}: ${name}`, () =>
      harmless(bounds, async () => {
        const collector = await makeClient(server.deps);
        await makeJob(server.deps, collector, jobStatus.running);
        const answer = await post(collector.token, body, encoding);
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.body.errors[0].message, reason);
      }));
  }
});
