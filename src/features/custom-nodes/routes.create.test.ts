import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { auditRows, type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';
import { assertEnvelope } from '../../../test/server/pipeline.ts';
import { builtInKinds } from '../../graph/kinds.ts';

const url = '/api/v2/custom-nodes';
const vault = { icon: { type: 'font-awesome', name: 'vault', color: '#C0A060' } };
let server: TestServer;
let admin: MadeUser;
let serial = 0;

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});
after(() => server.stop());

const call = (method: string, path: string, body?: unknown, token = admin.token) =>
  server.call(method, url + path, { token, body });
const post = (customTypes: unknown) => call('POST', '', { custom_types: customTypes });
const freshKind = () => `Kind${++serial}`;
const icon = (changes: object = {}) => ({ icon: { type: 'font-awesome', name: 'vault', ...changes } });

async function makeKind(): Promise<string> {
  const kind = freshKind();
  assert.equal((await post({ [kind]: vault })).status, 201);
  return kind;
}

/** Neither a row nor a record may be the result. */
async function assertNothingChanged(attempt: () => Promise<unknown>): Promise<void> {
  const state = async () => [(await call('GET', '')).body, (await auditRows(server.deps)).length];
  const before = await state();
  await attempt();
  assert.deepEqual(await state(), before);
}

describe('GET /api/v2/custom-nodes', () => {
  it('answers 200 with every kind, the built-in ones first', async () => {
    const kind = await makeKind();
    const { status, body } = await call('GET', '');
    assert.equal(status, 200);
    const names = body.data.map(({ kindName }: { kindName: string }) => kindName);
    assert.deepEqual(names.slice(0, builtInKinds.size), [...builtInKinds.keys()]);
    assert.deepEqual({ ...body.data.at(-1), id: 0 }, { id: 0, kindName: kind, config: vault });
  });
});

describe('POST /api/v2/custom-nodes', () => {
  it('answers 201 with the new kinds in the order given, and records them', async () => {
    const [one, two] = [freshKind(), freshKind()];
    const { status, body, headers } = await post({ [one]: vault, [two]: icon() });
    assert.equal(status, 201);
    const [first, second] = body.data;
    assert.deepEqual(first, { id: first.id, kindName: one, config: vault });
    const white = { icon: { type: 'font-awesome', name: 'vault', color: '#FFFFFF' } };
    assert.deepEqual(second, { id: second.id, kindName: two, config: white });
    assert.ok(second.id > first.id);
    assert.deepEqual((await call('GET', `/${one}`)).body, first);
    const [record] = await auditRows(server.deps);
    assert.equal(record?.action, 'CreateCustomNodeKind');
    assert.equal(record?.request_id, headers.get('x-request-id'));
    assert.deepEqual(record?.fields, {
      kinds: [
        { id: first.id, kind: one, config: vault },
        { id: second.id, kind: two, config: white },
      ],
    });
  });

  it('answers 201 for an array of objects with a kind each', async () => {
    const kinds = [freshKind(), freshKind()];
    const { status, body } = await post(kinds.map((kind) => ({ [kind]: vault })));
    assert.equal(status, 201);
    assert.deepEqual(
      body.data.map(({ kindName }: { kindName: string }) => kindName),
      kinds,
    );
  });

  it('answers 201 for every form of colour, an alias of an icon and unusual names', async () => {
    for (const color of ['#abc', '#ABCDEF', ''])
      assert.equal((await post({ [freshKind()]: icon({ color }) })).status, 201, color);
    assert.equal((await post({ [freshKind()]: icon({ name: 'cog' }) })).status, 201);
    for (const kind of [
      'user',
      'Röhre/Süd',
      'a b',
      'constructor',
      '犬'.repeat(256),
      'tagged',
      '%2e',
      '7',
      'Icons',
    ]) {
      assert.equal((await post({ [kind]: vault })).status, 201, kind);
      const { status, body } = await call('GET', `/${encodeURIComponent(kind)}`);
      assert.equal(status, 200, kind);
      assert.equal(body.kindName, kind);
    }
  });

  it('answers 201 for 500 kinds, and 400 for one more', async () => {
    const kinds = Array.from({ length: 501 }, () => [freshKind(), vault] as const);
    const [problem] = assertEnvelope(await post(Object.fromEntries(kinds)), 400);
    assert.equal(problem?.message, 'custom_types may have at most 500 entries, 501 are given');
    const { status, body } = await post(Object.fromEntries(kinds.slice(1)));
    assert.equal(status, 201);
    assert.equal(body.data.length, 500);
  });

  it('answers 400 with every problem of every entry, and stores nothing', async () => {
    await assertNothingChanged(async () => {
      const answer = await post({
        Good: vault,
        '': icon({ type: 'svg' }),
        TAG_x: icon({ name: 'no-such-icon', color: 'red' }),
        Prefixed: icon({ name: 'fa-user' }),
      });
      assert.deepEqual(assertEnvelope(answer, 400), [
        { context: 'custom_types.', message: 'the name of a kind must not be empty' },
        {
          context: 'custom_types..icon.type',
          message: 'icon type must be font-awesome, but is "svg" (kind "")',
        },
        {
          context: 'custom_types.TAG_x',
          message: 'the kind "TAG_x" is reserved: names that begin with tag_ are those of zones and labels',
        },
        {
          context: 'custom_types.TAG_x.icon.name',
          message:
            'icon name "no-such-icon" is not in the free solid set: GET /api/v2/custom-nodes/icons lists it (kind "TAG_x")',
        },
        {
          context: 'custom_types.TAG_x.icon.color',
          message: 'icon color must be #RGB or #RRGGBB, but is "red" (kind "TAG_x")',
        },
        {
          context: 'custom_types.Prefixed.icon.name',
          message: 'icon name "fa-user" has the prefix fa-: write "user" (kind "Prefixed")',
        },
      ]);
    });
  });

  it('answers 400 for names that no kind can have', async () => {
    const wrong: [kind: string, problem: RegExp][] = [
      ['tag_x', /^the kind "tag_x" is reserved/],
      ['icons', /^the kind "icons" is reserved/],
      ['.', /^the kind "\." is reserved/],
      ['..', /^the kind "\.\." is reserved/],
      [' Printer', /must not begin or end with a blank/],
      ['Printer\u00a0', /must not begin or end with a blank/],
      ['a\nb', /must not have control characters/],
      ['a\u0000b', /must not have control characters/],
      ['a\u007fb', /must not have control characters/],
      ['x'.repeat(257), /may have at most 256 characters/],
    ];
    for (const [kind, problem] of wrong) {
      const problems = assertEnvelope(await post({ [kind]: vault }), 400);
      assert.equal(problems.length, 1, kind);
      assert.match(problems[0]?.message ?? '', problem);
    }
  });

  it('answers 400 for icons and colours that only look right', async () => {
    for (const type of ['Font-Awesome', 'font-awesome ', '', 'fa'])
      assert.match(assertEnvelope(await post({ A: icon({ type }) }), 400)[0]?.message ?? '', /^icon type/);
    for (const name of [
      'Vault',
      ' vault',
      '',
      'vault,user',
      'fas vault',
      'FA-vault',
      'fa-',
      'fa-solid fa-user',
    ])
      assert.match(assertEnvelope(await post({ A: icon({ name }) }), 400)[0]?.message ?? '', /^icon name/);
    for (const color of ['#12', '#1234', '#12345g', '123456', '#1234567', '#ABC\n', '＃ABC', 'rgb(1,2,3)'])
      assert.match(assertEnvelope(await post({ A: icon({ color }) }), 400)[0]?.message ?? '', /^icon color/);
  });

  it('answers 400 for a body of another shape, naming each member', async () => {
    const wrong: [body: unknown, ...contexts: string[]][] = [
      [{}, 'custom_types'],
      [{ custom_types: {} }, 'custom_types'],
      [{ custom_types: [] }, 'custom_types'],
      [{ custom_types: null }, 'custom_types'],
      [{ custom_types: 'User' }, 'custom_types'],
      [{ custom_types: [{}, { A: vault }] }, 'custom_types.0'],
      [
        { custom_types: { A: {}, B: { icon: {} } } },
        'custom_types.A.icon',
        'custom_types.B.icon.type',
        'custom_types.B.icon.name',
      ],
      [{ custom_types: { 'a\nb': 1 } }, 'custom_types.a\nb'],
      [{ custom_types: { A: icon({ size: 1 }) } }, 'custom_types.A.icon.size'],
      [{ custom_types: { A: icon({ color: null }) } }, 'custom_types.A.icon.color'],
      [{ custom_types: [{ A: { icon: 1 } }] }, 'custom_types.0.A.icon'],
      [{ custom_types: { A: vault }, other: 1 }, 'other'],
    ];
    await assertNothingChanged(async () => {
      for (const [body, ...contexts] of wrong) {
        const problems = assertEnvelope(await call('POST', '', body), 400);
        assert.deepEqual(
          problems.map(({ context }) => context).sort(),
          contexts.sort(),
          JSON.stringify(body),
        );
      }
    });
  });

  it('answers 400 for a kind that is given twice', async () => {
    const kind = freshKind();
    const [problem] = assertEnvelope(await post([{ [kind]: vault }, { [kind]: vault }]), 400);
    assert.equal(problem?.message, `the kind "${kind}" is given more than once`);
  });

  it('answers 403 without the permission opengraph.Write', async () => {
    const { token } = await makeUser(server.deps, 'Power User');
    const body = { custom_types: { [freshKind()]: vault } };
    assertEnvelope(await call('POST', '', body, token), 403);
  });

  it('answers 409 naming the kinds that exist, and stores none of the others', async () => {
    const kind = await makeKind();
    await assertNothingChanged(async () => {
      const [problem] = assertEnvelope(await post({ [freshKind()]: vault, [kind]: vault, User: vault }), 409);
      assert.equal(problem?.message, `these kinds exist already: "User", "${kind}"`);
    });
  });

  it('answers 409 to all but one of those who make the same kind at once', async () => {
    const kind = freshKind();
    const answers = await Promise.all([1, 2, 3, 4].map(() => post({ [kind]: vault })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  });
});
