import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onOneLine } from '../values/text.ts';
import { printResult, tell } from './output.ts';

const hostile = 'a\u001b]0;title\u0007\u009b31mred\r\u202egpj.exe\u2066\u200b\u2028\u007f\u{e0041}z';

/** What a function writes to both streams. */
function written(work: () => void): string {
  const chunks: string[] = [];
  const streams = [process.stdout, process.stderr] as const;
  const originals = streams.map((stream) => stream.write);
  for (const stream of streams)
    stream.write = ((chunk: string) => {
      chunks.push(chunk);
      return true;
    }) as typeof stream.write;
  try {
    work();
  } finally {
    streams.forEach((stream, index) => {
      stream.write = originals[index] as typeof stream.write;
    });
  }
  return chunks.join('');
}

describe('what commands print', () => {
  it('has nothing in it that steers a terminal, as text, as JSON and as a message', () => {
    const prints = [
      () => printResult({ name: hostile }, [`name ${hostile}`, 'end'], false),
      () => printResult({ name: hostile }, hostile, true),
      () => tell(`kennel: ${hostile}`),
    ];
    for (const print of prints) {
      const text = written(print);
      assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      assert.match(text, /\\u001b\]0;title\\u0007\\u009b31mred/);
    }
  });

  it('starts no line because of a name, and says the same as JSON', () => {
    assert.equal(
      written(() => printResult({}, ['a\nfailed b', 'c'], false)),
      'a\\u000afailed b\nc\n',
    );
    assert.deepEqual(JSON.parse(written(() => printResult({ name: hostile }, '', true))), { name: hostile });
    assert.equal(onOneLine('Zoë ünïcode 日本 [####] ▁▂█'), 'Zoë ünïcode 日本 [####] ▁▂█');
  });
});
