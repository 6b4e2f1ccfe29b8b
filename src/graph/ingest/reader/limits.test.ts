import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultReadLimits, type ReadLimits } from './limits.ts';
import { FileProblem } from './problem.ts';
import { readEnvelope, readRecords } from './read-records.ts';

const pieceBytes = 64 * 1024;

/** `head`, then `body` again and again without an end: only a limit can stop the reading. */
class Endless {
  given = 0;
  readonly #head: string;
  readonly #body: Buffer;

  constructor(head: string, body: string) {
    this.#head = head;
    this.#body = Buffer.from(body.repeat(Math.ceil(pieceBytes / body.length)));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield Buffer.from(this.#head);
    for (;;) {
      this.given += this.#body.length;
      yield this.#body;
    }
  }
}

async function problemOf(bytes: AsyncIterable<Uint8Array>, limits: ReadLimits): Promise<FileProblem> {
  try {
    for await (const _ of readRecords(bytes, limits));
  } catch (error) {
    assert.ok(error instanceof FileProblem, String(error));
    return error;
  }
  return assert.fail('not refused');
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

const head = '{"meta":{"type":"users"},"data":[{},';
const record = { section: 'data', index: 1 };

describe('a hostile file', () => {
  const mebibyte = 1024 * 1024;
  for (const [name, limit, start, body, mostGiven] of [
    ['nested arrays', 'depth', head, '[', pieceBytes],
    ['nested objects', 'depth', head, '{"a":', pieceBytes],
    ['endless members', 'members', `${head}{"a":0`, ',"b":1', 4 * pieceBytes],
    ['a million empty arrays', 'values', `${head}[[]`, ',[]', 14 * mebibyte],
    ['an endless text', 'stringBytes', `${head}"`, 'abcdefgh', 2 * mebibyte],
    ['an endless text of escapes', 'stringBytes', `${head}"`, '\\"', 2 * mebibyte],
    ['an endless member name', 'stringBytes', `${head}{"`, 'é', 2 * mebibyte],
    ['an endless number', 'recordBytes', head, '1', 5 * mebibyte],
    ['an endless word', 'recordBytes', head, 'true', 5 * mebibyte],
    ['endless space inside a record', 'recordBytes', `${head}[`, ' ', 5 * mebibyte],
  ] as const) {
    it(`with ${name} is stopped by the limit ${limit}`, async () => {
      const limits = {
        ...defaultReadLimits,
        recordBytes: limit === 'recordBytes' ? 4 * mebibyte : defaultReadLimits.recordBytes,
      };
      const bytes = new Endless(start, body);
      const problem = await problemOf(bytes, limits);
      assert.equal(problem.limit, limit);
      assert.deepEqual(problem.record, record);
      assert.match(problem.message, /^record 1 of data, byte \d+: /);
      assert.ok(problem.reason.includes(String(limits[limit])), problem.reason);
      assert.ok(bytes.given <= mostGiven + 2 * pieceBytes, `${bytes.given} bytes were read`);
      // The pass that looks for the envelope holds no record, but stops there too.
      await assert.rejects(readEnvelope(new Endless(start.replace('meta', 'other'), body), limits), {
        limit,
      });
    });
  }

  for (const [name, limit, start, body] of [
    ['too many bytes', 'fileBytes', head, '{} ,'],
    ['only white space', 'fileBytes', '', ' '],
    ['white space at its end', 'fileBytes', '{"meta":{"type":"users"},"data":[]}', ' '],
    ['endless members of its own', 'members', '{"meta":{"type":"users"}', ',"a":1'],
    ['endless members of its graph', 'members', '{"graph":{"a":0', ',"a":1'],
    ['an endless meta', 'stringBytes', '{"meta":{"type":"', 'x'],
    ['a nested meta', 'depth', '{"meta":', '['],
    ['a nested unknown member', 'depth', '{"x":', '['],
  ] as const) {
    it(`with ${name} is stopped by the limit ${limit}`, async () => {
      const limits = { ...defaultReadLimits, fileBytes: 5 * mebibyte };
      const problem = await problemOf(new Endless(start, body), limits);
      assert.equal(problem.limit, limit);
      if (limit === 'fileBytes') assert.equal(problem.offset, limits.fileBytes);
      else assert.equal(problem.record, undefined);
    });
  }

  it('with too many records is stopped by the limit records, over all sections', async () => {
    const problem = await problemOf(once('{"graph":{"nodes":[1,2],"edges":[3,4]}}'), {
      ...defaultReadLimits,
      records: 3,
    });
    assert.equal(problem.limit, 'records');
    assert.deepEqual(problem.record, { section: 'edges', index: 1 });
    assert.equal(problem.offset, 35);
  });
});

describe('a limit', () => {
  for (const [limit, value, fits, breaks] of [
    ['depth', 2, '[{"a":1}]', '[{"a":[]}]'],
    ['depth', 1, '{}', '[[]]'],
    ['members', 2, '[{"a":1,"b":{"c":1,"d":2}},{"e":1}]', '{"a":1,"b":2,"c":3}'],
    ['values', 4, '[1,2,3]', '[1,2,3,4]'],
    ['stringBytes', 4, '["éé","\\"\\n"]', '"ééa"'],
    ['stringBytes', 4, '{"abcd":1}', '{"abcde":1}'],
    ['recordBytes', 9, '[1,2,3,4]', '[1,2,3,45]'],
  ] as const) {
    it(`of ${value} ${limit} takes ${fits} but not ${breaks}`, async () => {
      const read = async (data: string) => {
        for await (const _ of readRecords(once(`{"data":[${data}]}`), {
          ...defaultReadLimits,
          [limit]: value,
        }));
      };
      // Without meta, so that the limit holds for the record alone: what fits is read to the end.
      await assert.rejects(read(fits), { reason: 'the file has data but no meta' });
      await assert.rejects(read(breaks), { limit, record: { section: 'data', index: 0 } });
    });
  }
});
