import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode } from './decode.ts';
import { FileProblem } from './problem.ts';

/** Always the same memory, as a producer may do it. */
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    piece.fill(0);
    yield piece.subarray(0, bytes.copy(piece, 0, at, at + size));
  }
}

async function textOf(bytes: Buffer, size = bytes.length + 1): Promise<string> {
  const parts: Buffer[] = [];
  for await (const piece of decode(inPieces(bytes, size))) parts.push(Buffer.from(piece));
  return Buffer.concat(parts).toString('utf8');
}

async function problemIn(bytes: Buffer, size?: number): Promise<FileProblem> {
  try {
    await textOf(bytes, size);
  } catch (error) {
    assert.ok(error instanceof FileProblem, String(error));
    return error;
  }
  return assert.fail('not refused');
}

function utf16(text: string, order: 'LE' | 'BE'): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return order === 'LE' ? bytes : bytes.swap16();
}

function utf32(text: string, order: 'LE' | 'BE'): Buffer {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const bytes = Buffer.alloc(points.length * 4);
  for (const [i, point] of points.entries()) {
    if (order === 'LE') bytes.writeUInt32LE(point, i * 4);
    else bytes.writeUInt32BE(point, i * 4);
  }
  return bytes;
}

const sample = '{"a":"é€😀\u{10ffff}\uffff\u07ff\u0800"}';

describe('decode', () => {
  const encoded = {
    'UTF-8': Buffer.from(sample),
    'UTF-8 with a mark': Buffer.from(`\ufeff${sample}`),
    'UTF-16LE': utf16(`\ufeff${sample}`, 'LE'),
    'UTF-16BE': utf16(`\ufeff${sample}`, 'BE'),
    'UTF-32LE': utf32(`\ufeff${sample}`, 'LE'),
    'UTF-32BE': utf32(`\ufeff${sample}`, 'BE'),
  };
  for (const [name, bytes] of Object.entries(encoded)) {
    it(`reads ${name}, however it is cut`, async () => {
      for (let size = 1; size <= bytes.length; size += 1) assert.equal(await textOf(bytes, size), sample);
    });
  }

  it('reads files that are shorter than a mark', async () => {
    for (const text of ['', '7', '{}']) assert.equal(await textOf(Buffer.from(text)), text);
    assert.equal(await textOf(Buffer.from([0xff, 0xfe])), '');
    assert.equal(await textOf(Buffer.from([0xef, 0xbb, 0xbf])), '');
  });

  it('takes only the first mark away', async () => {
    assert.equal(await textOf(Buffer.from('\ufeff\ufeff{}')), '\ufeff{}');
  });

  it('hands on small pieces of a large one', async () => {
    let longest = 0;
    let total = 0;
    for await (const piece of decode(inPieces(Buffer.alloc(1_000_000, 'a'), 1_000_000))) {
      longest = Math.max(longest, piece.length);
      total += piece.length;
    }
    assert.equal(total, 1_000_000);
    assert.ok(longest <= 128 * 1024 + 3);
  });

  for (const [name, bad] of Object.entries({
    'a stray continuation': [0x80],
    'a lead byte without continuation': [0xc3, 0x28],
    'an overlong form': [0xc0, 0xaf],
    'an overlong form of three bytes': [0xe0, 0x80, 0xaf],
    'a surrogate': [0xed, 0xa0, 0x80],
    'a point above U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
    'a byte that is never used': [0xff],
    'a lead byte that is never used': [0xf8, 0x88, 0x80, 0x80, 0x80],
  })) {
    it(`refuses ${name} in UTF-8 and names its byte`, async () => {
      for (const before of [0, 1, 70, 5000]) {
        const text = `é${'a'.repeat(before)}`;
        const bytes = Buffer.concat([Buffer.from(text), Buffer.from(bad), Buffer.from('tail')]);
        for (const size of [1, 3, 64, 10_000]) {
          const problem = await problemIn(bytes, size);
          assert.equal(problem.reason, 'this is not valid UTF-8');
          assert.equal(problem.offset, before + 2);
        }
      }
    });
  }

  it('refuses what ends inside a character', async () => {
    const problem = await problemIn(Buffer.from('ab€').subarray(0, 4));
    assert.equal(problem.reason, 'the file ends inside a character of UTF-8');
    assert.equal(problem.offset, 2);
    assert.equal((await problemIn(utf16('\ufeffab', 'LE').subarray(0, 5))).offset, 1);
    assert.equal((await problemIn(utf32('\ufeffab', 'BE').subarray(0, 10))).offset, 1);
  });

  it('refuses half pairs and impossible points, by the offset in UTF-8', async () => {
    const mark = Buffer.from([0xff, 0xfe]);
    const pair = (...units: number[]) => Buffer.concat([mark, Buffer.from(Uint16Array.from(units).buffer)]);
    for (const bytes of [
      pair(0xe9, 0xd800, 0x61),
      pair(0xe9, 0xdc00),
      pair(0xe9, 0xd800),
      pair(0xe9, 0xd800, 0xd800),
    ]) {
      const problem = await problemIn(bytes);
      assert.equal(problem.reason, 'this is not valid UTF-16LE');
      assert.equal(problem.offset, 2);
    }
    for (const point of [0xd800, 0xdfff, 0x110000, 0xffffffff]) {
      const bytes = utf32('\ufeffé?', 'BE');
      bytes.writeUInt32BE(point, 8);
      const problem = await problemIn(bytes);
      assert.equal(problem.reason, 'this is not valid UTF-32BE');
      assert.equal(problem.offset, 2);
    }
  });
});
