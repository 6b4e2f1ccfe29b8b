import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultReadLimits, type ReadLimits } from './limits.ts';
import { FileProblem } from './problem.ts';
import { type ReadEvent, readEnvelope, readFile, readRecords } from './read-records.ts';

async function* inPieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function eventsOf(text: string, limits: Partial<ReadLimits> = {}): Promise<ReadEvent[]> {
  const events: ReadEvent[] = [];
  const bytes = inPieces(Buffer.from(text));
  for await (const batch of readRecords(bytes, { ...defaultReadLimits, ...limits })) events.push(...batch);
  return events;
}

async function problemIn(text: string, limits: Partial<ReadLimits> = {}): Promise<FileProblem> {
  try {
    await eventsOf(text, limits);
  } catch (error) {
    assert.ok(error instanceof FileProblem, String(error));
    return error;
  }
  return assert.fail(`not refused: ${text.slice(0, 100)}`);
}

const kindsOf = (events: readonly ReadEvent[]) => events.map((event) => event.kind).join(' ');
const withData = (data: string) => `{"meta":{"type":"users"},"data":[${data}]}`;

describe('readRecords', () => {
  it('gives the envelope of a classic file, its records with their places, and the totals', async () => {
    const text =
      '{"meta":{"methods":3,"type":"users","count":2,"version":6,"collectorversion":"2.5","x":1},"data":[{"é":1}, [2]]}';
    const [envelope, first, second, end] = await eventsOf(text);
    assert.deepEqual(envelope, {
      kind: 'envelope',
      envelope: {
        format: 'classic',
        type: 'users',
        version: 6,
        methods: 3,
        count: 2,
        collectorVersion: '2.5',
      },
    });
    const offset = Buffer.from(text).indexOf('{"é"');
    assert.deepEqual(first, {
      kind: 'record',
      section: 'data',
      index: 0,
      offset,
      text: '{"é":1}',
      value: { é: 1 },
    });
    assert.deepEqual(second, {
      kind: 'record',
      section: 'data',
      index: 1,
      offset: offset + 10,
      text: '[2]',
      value: [2],
    });
    assert.deepEqual(end, {
      kind: 'end',
      bytes: Buffer.byteLength(text),
      records: { data: 2, nodes: 0, edges: 0 },
      warnings: [],
    });
  });

  it('gives nodes and edges of an OpenGraph file, each with their own index', async () => {
    const events = await eventsOf(
      '{"metadata":{"source_kind":"Git"},"graph":{"nodes":[{"id":"a"},{"id":"b"}],"edges":[{"kind":"Knows"}]}}',
    );
    assert.deepEqual(events[0], {
      kind: 'envelope',
      envelope: { format: 'opengraph', sourceKind: 'Git' },
    });
    const places = events.flatMap((event) =>
      event.kind === 'record' ? [[event.section, event.index, event.value]] : [],
    );
    assert.deepEqual(places, [
      ['nodes', 0, { id: 'a' }],
      ['nodes', 1, { id: 'b' }],
      ['edges', 0, { kind: 'Knows' }],
    ]);
  });

  for (const [text, order] of [
    ['{"data":[1],"meta":{"type":"users"}}', 'record envelope end'],
    ['{"META":{"Type":"users"},"Data":[1]}', 'envelope record end'],
    ['{"m\\u0065ta":{"type":"users"},"d\\u0061ta":[1]}', 'envelope record end'],
    ['{"meta":{"type":"azure","version":0,"count":0},"data":[1]}\n', 'envelope record end'],
    [' \r\n\t{ "meta" : {"type":"users"} , "data" : [ 1 , 2 ] } \n', 'envelope record record end'],
    ['{"meta":{"type":"users"},"data":[]}', 'envelope end'],
    ['{"graph":{"Edges":[1]}}', 'record envelope end'],
    ['{"Graph":{"nodes":[1]},"Metadata":{"SOURCE_KIND":"X"}}', 'record envelope end'],
    ['{"metadata":null,"graph":{"nodes":[]}}', 'envelope end'],
    ['{"$schema":"x","graph":{"edges":[],"nodes":[]}}', 'envelope end'],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, async () => {
      const events = await eventsOf(text);
      assert.equal(kindsOf(events), order);
      assert.deepEqual((events.at(-1) as { warnings: unknown }).warnings, []);
    });
  }

  for (const [text, warning] of [
    ['{"meta":{"type":"users","count":5},"data":[1]}', 'meta.count is 5, but the file has 1 records'],
    [
      '{"meta":{"type":"users","version":"six"},"data":[]}',
      'meta.version is not a whole number and was ignored',
    ],
    ['{"meta":{"type":"users"},"data":[],"metadata":{}}', 'unknown member "metadata" was ignored'],
    ['{"graph":{"nodes":[],"style":{}}}', 'unknown member "graph.style" was ignored'],
    ['{"metadata":{"a":1},"graph":{"nodes":[]}}', 'metadata has an unknown member "a", which was ignored'],
  ] as const) {
    it(`warns: ${warning}`, async () => {
      const end = (await eventsOf(text)).at(-1);
      assert.deepEqual((end as { warnings: unknown }).warnings, [warning]);
    });
  }

  it('keeps at most 20 warnings', async () => {
    const unknown = Array.from({ length: 50 }, (_, i) => `"x${i}":0`).join();
    const end = (await eventsOf(`{${unknown},"meta":{"type":"users"},"data":[]}`)).at(-1);
    assert.equal((end as { warnings: readonly string[] }).warnings.length, 20);
  });

  it('gives what JSON.parse gives for repeated names and for __proto__, and changes no prototype', async () => {
    const record =
      '{"a":1,"a":2,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const event = (await eventsOf(withData(record)))[1] as { value: object };
    assert.deepEqual(event.value, JSON.parse(record));
    assert.ok(Object.hasOwn(event.value, '__proto__'));
    assert.equal(Object.getPrototypeOf(event.value), Object.prototype);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
    const problem = await problemIn('{"meta":{"__proto__":{"type":"users"}},"data":[]}');
    assert.match(problem.reason, /must have a type/);
  });
});

describe('a file that is refused', () => {
  const either = 'a file has either meta and data, or graph, but not both';
  for (const [text, reason, offset] of [
    ['', 'the file is empty', 0],
    [' \n', 'the file ends too early', 2],
    ['[]', 'the file must be one JSON object', 0],
    ['PK\x03\x04', 'the file must be one JSON object', 0],
    ['{}', 'the file has neither meta and data nor graph', 2],
    ['{"nodes":[],"edges":[]}', 'the file has neither meta and data nor graph', 23],
    ['{"meta":{"type":"users"}}', 'the file has meta but no data', 25],
    ['{"data":[]}', 'the file has data but no meta', 11],
    ['{"meta":{"type":"users"},"data":[],"graph":{}}', either, 43],
    ['{"graph":{"nodes":[]},"data":[]}', either, 29],
    ['{"meta":{},"graph":{}}', 'meta must have a type, such as "users"', 10],
    ['{"meta":[],"data":[]}', 'meta must be an object', 10],
    ['{"meta":{"type":7},"data":[]}', 'meta must have a type, such as "users"', 18],
    ['{"data":{}}', 'data must be an array', 8],
    ['{"data":null}', 'data must be an array', 8],
    ['{"graph":[]}', 'graph must be an object', 9],
    ['{"graph":{}}', 'graph has neither nodes nor edges', 12],
    ['{"graph":{"nodes":{}}}', 'nodes must be an array', 18],
    ['{"metadata":7,"graph":{"nodes":[]}}', 'metadata must be an object', 22],
    ['{"metadata":{"source_kind":7},"graph":{"nodes":[]}}', 'metadata.source_kind must be a text', 38],
    ['{"data":[],"Data":[]}', 'data is there twice', 18],
    ['{"graph":{"nodes":[],"nodes":[]}}', 'nodes is there twice', 29],
    ['{"data":[]', 'the file ends too early', 10],
    ['{"data":[],}', 'expected a member name in double quotes', 11],
    ['{"data" []}', 'expected a colon after the member name', 8],
    ['{"data":[] "meta":{}}', 'expected a comma or }', 11],
    [`${withData('')} x`, 'the file goes on after its JSON object', 36],
    [`${withData('')}{}`, 'the file goes on after its JSON object', 35],
    ['{"a":}', 'it is not valid JSON: a value is missing', 5],
    ['{"__proto__":{},"data":[]}', 'a member named "__proto__" is not allowed', 13],
    ['{"graph":{"__proto__":{}}}', 'a member named "__proto__" is not allowed', 22],
  ] as const) {
    it(`${JSON.stringify(text)}: ${reason}`, async () => {
      const problem = await problemIn(text);
      assert.equal(problem.reason, reason);
      assert.equal(problem.offset, offset);
      assert.equal(problem.record, undefined);
      assert.equal(problem.message, `byte ${offset}: ${reason}`);
    });
  }

  const start = withData('').length - 2;
  for (const [data, index, at, reason] of [
    ['{"a":1},{"a":01}', 1, 13, /^it is not valid JSON: "01" is neither text nor number/],
    ['{"a":1,}', 0, 7, /member name/],
    ['{"a" 1}', 0, 5, /colon/],
    ['{"a":[1 2]}', 0, 8, /comma or \]/],
    ['{"a":]}', 0, 5, /expected } but found \]/],
    ['"\t"', 0, 1, /control character/],
    ['"\\x"', 0, 1, /unknown escape/],
    ['"\\u12g4"', 0, 5, /four hexadecimal/],
    ['nul', 0, 0, /"nul" is neither/],
    ['1,,2', 1, 2, /a value is missing/],
    ['1,', 1, 2, /a value is missing/],
    ['1 2', 0, 2, /expected a comma or \]/],
    ['\u00a01', 0, 0, /a value is missing/],
    ['{"a":1e999}', 0, 0, /a number that is out of range/],
    [`1,-1${'0'.repeat(400)}`, 1, 2, /a number that is out of range/],
  ] as const) {
    it(`names record ${index} and the byte in ${JSON.stringify(data.slice(0, 20))}`, async () => {
      const problem = await problemIn(withData(data));
      assert.match(problem.reason, reason);
      assert.deepEqual(problem.record, { section: 'data', index });
      assert.equal(problem.offset, start + at);
      assert.ok(problem.message.startsWith(`record ${index} of data, byte ${start + at}: `));
    });
  }

  it('keeps numbers that are large, small or long but in range', async () => {
    const numbers = [
      '1.7976931348623157e308',
      '1e-999',
      `0.${'0'.repeat(500)}1`,
      '-0',
      '12345678901234567890',
    ];
    const events = await eventsOf(withData(numbers.join()));
    const values = events.flatMap((event) => (event.kind === 'record' ? [event.value] : []));
    assert.deepEqual(values, numbers.map(Number));
  });

  it('is refused wherever it is cut off', async () => {
    const text = '{"meta":{"type":"users"},"data":[{"a":"\\"é"},-1.5e3,true]}';
    const bytes = Buffer.from(text);
    for (let length = 0; length < bytes.length; length += 1) {
      const reading = readRecords(inPieces(bytes.subarray(0, length)), defaultReadLimits);
      await assert.rejects(async () => {
        for await (const _ of reading);
      }, FileProblem);
    }
  });
});

describe('readFile', () => {
  const records = (n: number) => Array.from({ length: n }, (_, i) => `{"n":${i}}`).join();

  for (const text of [
    `{"data":[${records(3)}],"meta":{"type":"users"}}`,
    `{"meta":{"type":"users"},"data":[${records(3)}]}`,
    `{"graph":{"nodes":[${records(2)}],"edges":[1]},"metadata":{"source_kind":"X"}}`,
    `{"graph":{"nodes":[${records(2)}],"edges":[1]}}`,
  ]) {
    it(`gives the envelope first, once, in ${text.slice(0, 12)}…`, async () => {
      const events: ReadEvent[] = [];
      const open = () => inPieces(Buffer.from(text), 7);
      for await (const batch of readFile(open, defaultReadLimits)) events.push(...batch);
      assert.equal(kindsOf(events), 'envelope record record record end');
    });
  }

  it('reads no further than meta to find the envelope', async () => {
    let pieces = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"meta":{"type":"users"},"data":[0');
      for (;;) {
        pieces += 1;
        yield Buffer.from(',1');
      }
    }
    assert.equal((await readEnvelope(endless(), defaultReadLimits)).format, 'classic');
    assert.equal(pieces, 0);
  });
});
