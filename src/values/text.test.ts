import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  cleanText,
  compareCodePoints,
  countUnclean,
  invalidUtf8At,
  lineAndColumn,
  nameCharacter,
  quoteShort,
} from './text.ts';

const boundaryCharacters = fc.constantFrom(
  'a',
  '\ud7ff',
  '\ue000',
  '\ufffd',
  '\uffff',
  '\u{10000}',
  '\u{1f600}',
  '\u{10ffff}',
);
const wellFormedText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: boundaryCharacters }));
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
const anyText = fc.string({ unit: fc.oneof(codeUnit, surrogate, fc.constant('\0')) });

test('compareCodePoints agrees with the order of the UTF-8 bytes', () => {
  fc.assert(
    fc.property(wellFormedText, wellFormedText, wellFormedText, (prefix, left, right) => {
      const a = prefix + left;
      const b = prefix + right;
      assert.equal(Math.sign(compareCodePoints(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 2000 },
  );
});

test('compareCodePoints puts an astral character after the whole basic plane', () => {
  assert.ok('\u{10000}' < '\uffff', 'the built-in order differs');
  assert.ok(compareCodePoints('\u{10000}', '\uffff') > 0);
  assert.deepEqual(['\u{1f600}', '\ue000', 'b', 'a', ''].sort(compareCodePoints), [
    '',
    'a',
    'b',
    '\ue000',
    '\u{1f600}',
  ]);
});

test('compareCodePoints is a total order on ill-formed text too', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      assert.equal(Math.sign(compareCodePoints(a, b)) + Math.sign(compareCodePoints(b, a)), 0);
      assert.equal(compareCodePoints(a, b) === 0, a === b);
    }),
  );
});

test('cleanText replaces U+0000 and lone surrogates, and nothing else', () => {
  assert.equal(cleanText('a\0b'), 'a\ufffdb');
  assert.equal(cleanText('\ud83d'), '\ufffd');
  assert.equal(cleanText('\ude00\ud83d'), '\ufffd\ufffd');
  assert.equal(cleanText('\ud83d\ud83d\ude00'), '\ufffd\u{1f600}');
  assert.equal(cleanText('\u{1f600} \u0001 é \ufffd'), '\u{1f600} \u0001 é \ufffd');
});

test('cleaned text survives UTF-8, has no U+0000, and is clean', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const cleaned = cleanText(text);
      assert.equal(Buffer.from(cleaned).toString(), cleaned);
      assert.ok(!cleaned.includes('\0'));
      assert.equal(countUnclean(cleaned), 0);
      assert.equal(countUnclean(text) === 0, cleaned === text);
    }),
  );
});

test('countUnclean counts each replaced character', () => {
  assert.equal(countUnclean('plain \u{1f600}'), 0);
  assert.equal(countUnclean('\0\ud83d\0\ude00'), 4);
});

test('quoteShort bounds and escapes untrusted text', () => {
  assert.equal(quoteShort('a "b"\n'), '"a \\"b\\"\\n"');
  assert.equal(quoteShort('abcdef', 3), '"abc…"');
  assert.equal(quoteShort('ab\u{1f600}', 3), '"ab\ufffd…"');
});

test('nameCharacter shows visible ASCII and numbers the rest', () => {
  assert.equal(nameCharacter(0x7d), '"}"');
  assert.equal(nameCharacter(0x20), 'character U+0020');
  assert.equal(nameCharacter(0x1f600), 'character U+1F600');
});

test('lineAndColumn counts lines of every kind and characters rather than units', () => {
  const text = 'a\nb\r\nc\rd\u{1f600}e';
  assert.deepEqual(lineAndColumn(text, 0), { line: 1, column: 1 });
  assert.deepEqual(lineAndColumn(text, text.indexOf('b')), { line: 2, column: 1 });
  assert.deepEqual(lineAndColumn(text, text.indexOf('c')), { line: 3, column: 1 });
  assert.deepEqual(lineAndColumn(text, text.indexOf('e')), { line: 4, column: 3 });
});

test('invalidUtf8At finds where the valid prefix ends', () => {
  const edges = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed];
  const byte = fc.constantFrom(...edges, 0xee, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff);
  fc.assert(
    fc.property(wellFormedText, fc.array(byte, { maxLength: 5 }), (prefix, tail) => {
      const start = Buffer.from(prefix);
      const bytes = Buffer.concat([start, Buffer.from(tail)]);
      const end = invalidUtf8At(bytes);
      assert.ok(end >= start.length && isUtf8(bytes.subarray(0, end)));
      assert.equal(end === bytes.length, isUtf8(bytes));
      for (let longer = end + 1; longer <= Math.min(end + 4, bytes.length); longer++) {
        assert.ok(!isUtf8(bytes.subarray(0, longer)));
      }
    }),
    { numRuns: 5000 },
  );
});
