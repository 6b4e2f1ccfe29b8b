import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { settingDescriptions } from '../../src/config.ts';
import { contract } from './contract.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The cells of a table, found by its header. */
function tableUnder(header: string): string[][] {
  const lines = readme.split('\n');
  const start = lines.findIndex((line) => line.replace(/\s+/g, ' ').trim() === header);
  assert.ok(start >= 0, `there is no table ${header}`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('README.md', () => {
  it('lists exactly the settings that there are, with their defaults', () => {
    const listed = tableUnder('| Setting | Default | Meaning |').map(([name = '', text = '']) => ({
      name,
      // Backticks keep angle brackets from being taken for HTML.
      default: text.replaceAll('`', ''),
    }));
    const expected = settingDescriptions.map(({ name, defaultText }) => ({
      name: `\`${name}\``,
      default: defaultText,
    }));
    assert.deepEqual(listed, expected);
  });

  it('lists the eight operations', () => {
    for (const { method, path } of contract)
      assert.ok(readme.includes(`\`${method} ${path}\``), `${method} ${path}`);
  });
});
