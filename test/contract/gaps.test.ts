import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/spec-gaps.md'), 'utf8');

/** Entries begin with their number, bold or as a heading. */
const known = new Set(
  [...page.matchAll(/^(?:[-*] )?(?:\*\*|#{2,4} )(\d+\.\d+)\b/gm)].map(([, number]) => number),
);

/** As in "gap 3.2", "gaps 3.3 to 3.5" and "gaps 6.1 and 6.4". */
const citation = /\bgaps? (\d+\.\d+(?:(?:, | and | to )\d+\.\d+)*)/g;

function citations(): { file: string; number: string }[] {
  return ['src', 'test', 'bench'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((name) => /\.[jt]sx?$/.test(name) && !name.includes('node_modules'))
      .flatMap((name) => {
        const text = readFileSync(join(root, folder, name), 'utf8');
        return [...text.matchAll(citation)].flatMap(([, numbers = '']) =>
          (numbers.match(/\d+\.\d+/g) ?? []).map((number) => ({ file: join(folder, name), number })),
        );
      }),
  );
}

describe('docs/spec-gaps.md', () => {
  it('has every gap that the code cites', () => {
    const cited = citations();
    assert.ok(cited.length > 10 && known.size > 10);
    assert.deepEqual(
      cited.filter(({ number }) => !known.has(number)),
      [],
    );
  });
});
