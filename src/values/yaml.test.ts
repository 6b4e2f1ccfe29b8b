import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toYaml } from './yaml.ts';

describe('toYaml', () => {
  it('writes blocks that people can read', () => {
    const value = {
      openapi: '3.1.0',
      paths: { '/api/v2/self': { get: { tags: ['Users', 'yes'], responses: { 200: { description: '' } } } } },
      empty: [{}, [], { a: 1, b: [true, null, [2]] }],
      left: undefined,
    };
    assert.equal(
      toYaml(value),
      [
        'openapi: "3.1.0"',
        'paths:',
        '  /api/v2/self:',
        '    get:',
        '      tags:',
        '        - Users',
        '        - "yes"',
        '      responses:',
        '        "200":',
        '          description: ""',
        'empty:',
        '  - {}',
        '  - []',
        '  - a: 1',
        '    b:',
        '      - true',
        '      - null',
        '      - - 2',
        '',
      ].join('\n'),
    );
  });

  it('quotes what could be taken for something else', () => {
    for (const text of [
      'no',
      'Null',
      '1',
      '-',
      '- a',
      'a: b',
      'a #b',
      '#',
      '',
      ' a',
      'a ',
      '{x}',
      "it's",
      'a\nb',
      '@a',
      '*',
      '&x',
      '!t',
      '%',
      '`',
    ])
      assert.equal(toYaml(text), `${JSON.stringify(text)}\n`, text);
    for (const text of ['plain', 'two words', '/api/v2/a-b', 'a.b (c)'])
      assert.equal(toYaml(text), `${text}\n`);
  });
});
