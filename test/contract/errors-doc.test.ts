import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { errorCodes } from '../../src/errors.ts';
import { statusOf } from '../../src/http/errors.ts';

const text = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const rows = [...text.matchAll(/^\|\s*`(\w+)`\s*\|\s*(\d+)\s*\|/gm)].map(([, code, status]) => ({
  code,
  status: Number(status),
}));

describe('docs/errors.md', () => {
  it('has one row for each error code, with its status', () => {
    const byCode = (a: { code?: string | undefined }, b: { code?: string | undefined }) =>
      String(a.code) < String(b.code) ? -1 : 1;
    const expected = errorCodes.map((code) => ({ code, status: statusOf[code] }));
    assert.deepEqual(rows.sort(byCode), expected.sort(byCode));
  });
});
