import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../test/graph/drawings.ts';
import { derive, rules } from './derive.ts';

const folder = new URL('drawings/', import.meta.url);
const kindsWithRules = rules.map(([kind]) => kind);

/** One file a kind of edge, named after it; what it shows is in test/graph/drawings.ts. */
const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

describe('rules on drawn graphs', () => {
  it('are drawn, each in a file of its own', () => {
    assert.deepEqual(
      files.map((name) => name.replace('.txt', '')).sort(),
      [...new Set(kindsWithRules)].sort(),
    );
  });

  for (const file of files) {
    const kind = file.replace('.txt', '');
    const drawings = readDrawings(readFileSync(new URL(file, folder), 'utf8'));

    describe(kind, () => {
      it('is shown where it follows, and where it does not', () => {
        assert.ok(
          drawings.some(({ expected }) => expected.length > 0),
          'no case in which it follows',
        );
        assert.ok(
          drawings.some(({ expected }) => expected.length === 0),
          'no case in which it does not',
        );
      });

      for (const drawing of drawings) {
        it(drawing.title, () => {
          assert.deepEqual(
            [...new Set(drawing.expected.map((edge) => edge.kind))],
            drawing.expected.length ? [kind] : [],
          );
          const found: string[] = [];
          derive(drawing.estate, { citrixRdp: true })
            .get(kind)
            ?.each((start, end) => found.push(`${drawing.nameOf(start)} -${kind}-> ${drawing.nameOf(end)}`));
          const expected = drawing.expected.map(({ start, end }) => `${start} -${kind}-> ${end}`);
          assert.deepEqual(found.sort(), expected.sort());
        });
      }
    });
  }
});
