import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeUtf8, JsonProblem, parseStrictJson } from './json.ts';

function problemOf(text: string): JsonProblem {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonProblem) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: `${JSON.stringify(text)} was accepted` });
}

function outcome(read: () => unknown): { value: unknown } | 'refused' {
  try {
    return { value: read() };
  } catch {
    return 'refused';
  }
}

test('reads what JSON.parse reads', () => {
  const jsonText = fc.json({ maxDepth: 8, stringUnit: 'binary' }).filter((text) => !text.includes('\\u0000'));
  fc.assert(
    fc.property(jsonText, fc.constantFrom(undefined, 1, '\t', '\r\n '), (text, indent) => {
      fc.pre(!text.includes('"__proto__":'));
      const spaced = ` ${JSON.stringify(JSON.parse(text), null, indent)}\r\n`;
      for (const form of [text, spaced]) {
        assert.deepStrictEqual(parseStrictJson(form), { value: JSON.parse(form), replaced: 0 });
      }
    }),
    { numRuns: 1000 },
  );
});

test('accepts and refuses the same near-JSON as JSON.parse', () => {
  const fragments = ['{', '}', '[', ']', ',', ':', '"', '"a"', '"b"', '\\', '\\n', '\\u00e9', '\\u12', 'x'];
  const numbers = ['0', '1', '-', '-0', '.', '.5', 'e', 'E+', '01', '1e5', '\u00a0', ' ', '\n', '\t', '\f'];
  const piece = fc.constantFrom(
    ...fragments,
    ...numbers,
    'true',
    'false',
    'null',
    'tru',
    '[1]',
    '{"c":',
    '}',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
      const text = pieces.join('');
      const strict = outcome(() => parseStrictJson(text).value);
      if (strict === 'refused' && /more than once|too large/.test(problemOf(text).message)) return;
      assert.deepStrictEqual(
        strict,
        outcome(() => JSON.parse(text)),
      );
    }),
    { numRuns: 20_000 },
  );
});

test('reads every escape, number form and bare value', () => {
  const texts = [
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9\\ud83d\\ude00"',
    '-0',
    '0.10',
    '-12.5e-3',
    '1E+2',
    '1e-999',
  ];
  const others = [
    'null',
    'true',
    'false',
    '[]',
    '{}',
    '""',
    '[[],{}]',
    '{"":1,"a":{"":[]}}',
    '"\u2028\u007f"',
  ];
  for (const text of [...texts, ...others]) {
    assert.deepStrictEqual(parseStrictJson(text), { value: JSON.parse(text), replaced: 0 }, text);
  }
  const names = '{"constructor":1,"toString":2,"hasOwnProperty":3,"2":4,"1":5}';
  assert.equal(JSON.stringify(parseStrictJson(names).value), JSON.stringify(JSON.parse(names)));
});

test('tolerates one byte order mark at the start', () => {
  assert.deepEqual(parseStrictJson('\ufeff{"a":1}').value, { a: 1 });
  assert.match(problemOf('\ufeff\ufeff1').message, /U\+FEFF.*\(line 1, column 1\)/);
  assert.equal(problemOf('\ufeff').message, 'the body is empty');
});

test('says that the body is empty', () => {
  for (const text of ['', ' \r\n\t']) assert.equal(problemOf(text).message, 'the body is empty');
});

test('refuses repeated member names, compared after unescaping and cleaning', () => {
  const problem = problemOf('{"x": [\n  {"a": 1, "\\u0061": 2}]}');
  assert.equal(problem.message, 'the member "a" is given more than once (line 2, column 12, in "/x/0/a")');
  assert.equal(problem.pointer, '/x/0/a');
  assert.match(problemOf('{"\\ud800":1,"\\ud801":2}').message, /given more than once/);
  assert.deepEqual(parseStrictJson('[{"a":1},{"a":{"a":2}}]').value, [{ a: 1 }, { a: { a: 2 } }]);
});

test('refuses __proto__ members, however they are spelled', () => {
  for (const name of ['__proto__', '\\u005f_proto__']) {
    const problem = problemOf(`{"a":{"${name}":{"admin":true}}}`);
    assert.match(problem.message, /the member name "__proto__" is not allowed \(line 1, column 7/);
    assert.equal(problem.pointer, '/a/__proto__');
  }
  assert.equal(parseStrictJson('"__proto__"').value, '__proto__');
});

test('allows 64 levels of nesting and no more', () => {
  const nest = (levels: number) =>
    '[{"a":'.repeat(levels / 2) + '[]'.repeat(levels % 2) + '}]'.repeat(levels / 2);
  const arrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  assert.doesNotThrow(() => parseStrictJson(arrays(64)));
  assert.match(problemOf(arrays(65)).message, /^nested over 64 levels deep \(line 1, column 65/);
  assert.doesNotThrow(() => parseStrictJson(nest(63)));
  assert.match(problemOf(nest(65)).message, /^nested over 64 levels deep/);
  assert.match(problemOf('['.repeat(1_000_000)).message, /^nested over 64 levels deep/);
});

test('refuses numbers that no double can hold', () => {
  const problem = problemOf('{"size":-1e999}');
  assert.equal(problem.message, 'the number "-1e999" is too large (line 1, column 9, in "/size")');
  assert.match(problemOf('9'.repeat(400)).message, /^the number "9{80}…" is too large/);
});

test('replaces and counts characters that cannot be stored', () => {
  const text = '{"n\\u0000":"\\ud83d","b":["\\ude00\\u0000","\\ud83d\\ude00","\ud800"]}';
  assert.deepEqual(parseStrictJson(text), {
    value: { 'n\ufffd': '\ufffd', b: ['\ufffd\ufffd', '\u{1f600}', '\ufffd'] },
    replaced: 5,
  });
});

test('says what is wrong and where', () => {
  const messages: [string, string][] = [
    ['{"a":1} x', 'there is more text after the end of the value (line 1, column 9)'],
    ['{"a" 1}', 'found "1" where ":" after the member name "a" is expected (line 1, column 6, in "/a")'],
    ['{"a":1,}', 'found "}" where a member name in double quotes is expected (line 1, column 8)'],
    ['[1,\r\n2 3]', 'found "3" where "," or "]" is expected (line 2, column 3)'],
    ['["\u{1f600}",\u00a0]', 'found character U+00A0 where a value is expected (line 1, column 6, in "/1")'],
    ['{"a":', 'the text ends where a value is expected (line 1, column 6, in "/a")'],
    ['{"a/b~":nul}', 'found "n" where a value is expected (line 1, column 9, in "/a~1b~0")'],
    ['["abc', 'this string has no closing quote (line 1, column 2, in "/0")'],
    ['"a\nb"', 'a string holds a bare character U+000A (line 1, column 3)'],
    ['["\\x"]', 'this string has an escape that JSON does not know (line 1, column 2, in "/0")'],
    ['"\\u12g4"', 'this string has an escape that JSON does not know (line 1, column 1)'],
    ['"\\\n"', 'this string has an escape that JSON does not know (line 1, column 1)'],
    ['"\\', 'this string has no closing quote (line 1, column 1)'],
    ['NaN', 'found "N" where a value is expected (line 1, column 1)'],
  ];
  for (const [text, message] of messages) assert.equal(problemOf(text).message, message);
});

test('keeps messages short and on one line whatever the names are', () => {
  const { message } = problemOf(`{${JSON.stringify('\n\u0007'.repeat(5000))}:x}`);
  assert.ok(message.length < 700 && !message.includes('\n') && !message.includes('\u0007'));
});

test('decodeUtf8 decodes what is valid and names the first bad byte otherwise', () => {
  assert.equal(decodeUtf8(new Uint8Array()), '');
  assert.equal(decodeUtf8(Buffer.from('\ufeffé \u{1f600}')), '\ufeffé \u{1f600}');
  assert.equal(decodeUtf8(new Uint8Array([0x61, 0x62, 0x63]).subarray(1)), 'bc');
  assert.throws(() => decodeUtf8(Buffer.from([0x61, 0xc3, 0xa9, 0xff])), {
    name: 'JsonProblem',
    message: 'the body is not valid UTF-8 (at byte offset 3)',
  });
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      if (isUtf8(bytes)) assert.deepEqual(Buffer.from(decodeUtf8(bytes)), Buffer.from(bytes));
      else assert.throws(() => decodeUtf8(bytes), JsonProblem);
    }),
  );
});
