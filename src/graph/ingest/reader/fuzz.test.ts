import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findJsonError } from './json-error.ts';
import { defaultReadLimits } from './limits.ts';
import { FileProblem } from './problem.ts';
import { type ReadRecord, readRecords } from './read-records.ts';

/** Bounds the time of a property, not its outcome: what was tried until then was right. */
const bounded = { numRuns: 4000, interruptAfterTimeLimit: 1500 };
const syntaxReason = /^(?:it is not valid JSON|expected|the file (?:ends|goes on|is empty))/;

async function recordsOf(bytes: Buffer, sizes: readonly number[]): Promise<ReadRecord[] | FileProblem> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0, i = 0; at < bytes.length; i += 1) {
      const size = sizes[i % sizes.length] ?? bytes.length;
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
  const records: ReadRecord[] = [];
  try {
    for await (const batch of readRecords(pieces(), defaultReadLimits)) {
      for (const event of batch) if (event.kind === 'record') records.push(event);
    }
    return records;
  } catch (error) {
    if (error instanceof FileProblem) return error;
    throw error;
  }
}

/** What the file's sections are by `JSON.parse`; undefined when it refuses the file. */
function expectedSections(text: string): Record<string, unknown> | undefined {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return undefined;
  }
  const top = lowerCase(whole);
  return { data: top.data, ...lowerCase(top.graph) };
}

function lowerCase(value: unknown): Record<string, unknown> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.map(([name, member]) => [name.toLowerCase(), member]));
}

/** Same records or an error from both; and a valid file is only ever refused for what it says. */
async function agrees(text: string, sizes: readonly number[]): Promise<void> {
  const bytes = Buffer.from(text);
  const expected = expectedSections(bytes.toString());
  const outcome = await recordsOf(bytes, sizes);
  if (expected === undefined) {
    assert.ok(outcome instanceof FileProblem, `JSON.parse refuses ${JSON.stringify(text)}`);
    return;
  }
  if (outcome instanceof FileProblem) {
    assert.doesNotMatch(outcome.reason, syntaxReason, text);
    return;
  }
  for (const section of ['data', 'nodes', 'edges'] as const) {
    const found: readonly ReadRecord[] = outcome.filter((record) => record.section === section);
    assert.deepEqual(
      found.map((record) => record.value),
      expected[section] ?? [],
    );
    assert.deepEqual(
      found.map((record) => record.index),
      found.map((_, i) => i),
    );
  }
  for (const { offset, text: own, value } of outcome) {
    assert.equal(bytes.subarray(offset, offset + Buffer.byteLength(own)).toString(), own);
    assert.deepEqual(JSON.parse(own), value);
  }
}

const tokens = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\"', '"a"', '"":', '"a":{', '"\\\\"', '"\\u00e9\\ud83d"'],
  ...['1', '-', '-0', '01', '1.5', '1.', '1e5', '1E+2', 'e', '1e999', 'true', 'false', 'null', 'nul'],
  ...[
    ' ',
    '\n',
    '\t',
    '\r',
    '\u00a0',
    '\u2028',
    '\u0001',
    '\u0000',
    'é',
    '😀',
    '"data":[',
    '"meta":{"type":"x"}',
  ],
];
const soup = fc.array(fc.constantFrom(...tokens), { maxLength: 14 }).map((parts) => parts.join(''));
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const gap = fc.constantFrom('', ' ', '\n\t', '\r\n  ');
const record = fc.oneof(
  fc.jsonValue({ depthSize: 'medium', stringUnit: 'binary' }).map((value) => JSON.stringify(value)),
  fc.jsonValue().map((value) => JSON.stringify(value, undefined, 2)),
  fc.constantFrom(
    '{"__proto__":{"a":1}}',
    '"\\ud800"',
    '{"a":1,"a":2}',
    '-1.5E-3',
    '[[],{},""]',
    '"\\\\\\""',
  ),
);
const list = fc
  .tuple(fc.array(record, { maxLength: 6 }), gap)
  .map(([all, space]) => `[${all.join(`${space},${space}`)}]`);
const file = fc.oneof(
  fc.tuple(list, gap).map(([data, space]) => `{"data":${data},${space}"meta":{"type":"users"}}${space}`),
  fc
    .tuple(list, gap)
    .map(([data, space]) => `${space}{"Meta":${space}{"type":"users"},"DATA"${space}:${data}}`),
  fc.tuple(list, list).map(([nodes, edges]) => `{"graph":{"nodes":${nodes},"edges":${edges}},"x":${nodes}}`),
);

describe('readRecords and JSON.parse', () => {
  it('read the same records from valid files', async () => {
    await fc.assert(
      fc.asyncProperty(file, sizes, async (text, cut) => {
        assert.ok(Array.isArray(await recordsOf(Buffer.from(text), cut)), text);
        await agrees(text, cut);
      }),
      bounded,
    );
  });

  it('agree on files with a fault in them', async () => {
    const place = fc.double({ min: 0, max: 1, noNaN: true });
    const faulty = fc
      .tuple(file, place, fc.nat(3), fc.constantFrom('', ...tokens))
      .map(([text, where, cut, token]) => {
        const at = Math.floor(where * text.length);
        return text.slice(0, at) + token + text.slice(at + cut);
      });
    await fc.assert(fc.asyncProperty(faulty, sizes, agrees), bounded);
  });

  it('agree on any tokens where a record should be', async () => {
    const around = fc.constantFrom(
      ['{"meta":{"type":"x"},"data":[', ']}'],
      ['{"graph":{"nodes":[1,', '],"edges":[{}]}}'],
      ['{"x":', ',"meta":{"type":"x"},"data":[]}'],
      ['{"data":[],"meta":', '}'],
      ['{', '}'],
      ['', ''],
    );
    const text = fc.tuple(around, soup).map(([[before, after], middle]) => `${before}${middle}${after}`);
    await fc.assert(fc.asyncProperty(text, sizes, agrees), { ...bounded, numRuns: 12_000 });
  });

  it('agree wherever a file is cut in two', async () => {
    const text =
      ' {"data" : [{"a":"\\\\\\"é\\u0041","b":[1,-2.5e+3,true,null]}, "x\\\\" ,12 ,{}],\n"meta":{"type":"users","count":4}} ';
    const { length } = Buffer.from(text);
    for (let at = 1; at < length; at += 1) await agrees(text, [at, length]);
    for (let size = 1; size < 12; size += 1) await agrees(text, [size]);
    assert.equal(((await recordsOf(Buffer.from(text), [1])) as ReadRecord[]).length, 4);
  });
});

describe('findJsonError', () => {
  it('finds an error exactly where JSON.parse throws', () => {
    const text = fc.oneof(
      soup,
      record,
      fc.tuple(record, soup).map(([a, b]) => a + b),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (any) => {
        const bytes = Buffer.from(any);
        const isValid = expectedSections(bytes.toString()) !== undefined;
        const error = findJsonError(bytes);
        assert.equal(error === undefined, isValid, any);
        assert.ok(error === undefined || (error.at >= 0 && error.at <= bytes.length));
      }),
      { numRuns: 20_000, interruptAfterTimeLimit: 1000 },
    );
  });
});
