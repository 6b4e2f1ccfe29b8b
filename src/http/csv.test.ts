import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cell, csvLine } from './csv.ts';

describe('a line of CSV', () => {
  const cases: [what: string, cell: Cell, text: string][] = [
    ['is plain where nothing is special', 'DOMAIN ADMINS@CORP', 'DOMAIN ADMINS@CORP'],
    ['leaves a cell that is not set empty', null, ''],
    ['keeps numbers, negative ones too', -7, '-7'],
    ['quotes commas', 'a,b', '"a,b"'],
    ['doubles quotes', 'say "no"', '"say ""no"""'],
    ['quotes line breaks', 'a\r\nb', '"a\r\nb"'],
    ['keeps blanks at the ends', ' a ', ' a '],
    ['keeps what is not ASCII', 'Größe \u{1f415}', 'Größe \u{1f415}'],
    ...['=', '+', '-', '@', '\t'].map((sign): [string, Cell, string] => [
      `makes text of a cell that begins with ${JSON.stringify(sign)}`,
      `${sign}cmd|' /C calc'!A0`,
      `'${sign}cmd|' /C calc'!A0`,
    ]),
    ['makes text of a cell that begins with a carriage return', '\r=1', '"\'\r=1"'],
    ['makes text of a formula with quotes', '=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['leaves a sign in the middle alone', 'a=b', 'a=b'],
  ];
  for (const [what, cell, text] of cases)
    it(what, () => {
      assert.equal(csvLine([cell]), `${text}\r\n`);
      assert.equal(csvLine([1, cell, 'z']), `1,${text},z\r\n`);
    });
});
