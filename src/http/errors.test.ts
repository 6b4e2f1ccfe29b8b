import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { after, before, describe, it } from 'node:test';
import Type from 'typebox';
import { type MadeUser, makeUser } from '../../test/server/builders.ts';
import { document } from '../../test/server/conformance.ts';
import { startTestServer, type TestServer } from '../../test/server/harness.ts';
import { assertEnvelope, serveOperations } from '../../test/server/pipeline.ts';
import { RawConnection, rawCall, requestText } from '../../test/server/raw-http.ts';
import { prefersProblemJson, statusOf, titleOf } from './errors.ts';
import { Int32Parameter, Struct } from './schemas.ts';

let server: TestServer;
let admin: MadeUser;

before(async () => {
  server = await startTestServer();
  admin = await makeUser(server.deps);
});

after(() => server.stop());

describe('the error envelope (gap 1.2)', () => {
  it('answers 404 on paths that are nothing', async () => {
    for (const [method, path] of [
      ['GET', '/api'],
      ['GET', '/api/v2'],
      ['GET', '/api/v2/'],
      ['GET', '/api/v2/saml/'],
      ['GET', '/API/v2/saml'],
      ['POST', '/api/v2/nothing'],
      ['DELETE', '/health/other'],
      ['PROPFIND', '/nothing'],
    ] as const) {
      const [problem] = assertEnvelope(await rawCall(server, method, path), 404);
      assert.deepEqual(problem, {
        context: 'path',
        message: `${path} is no path of this server: nothing was looked up`,
      });
    }
  });

  it('answers 405 to a question about the server as a whole, as to one about the start page', async () => {
    for (const path of ['*', '/']) assertEnvelope(await rawCall(server, 'OPTIONS', path), 405);
  });

  it('leaves the query out of the message, and most of a very long path', async () => {
    const secret = await server.call('GET', '/api/v2/nothing?token=top-secret');
    assert.doesNotMatch(secret.text, /top-secret/);
    const long = await server.call('GET', `/${'long/'.repeat(1000)}`);
    assert.ok(
      assertEnvelope(long, 404)[0]?.message.length ===
        ' is no path of this server: nothing was looked up'.length + 201,
    );
  });

  it('answers 404 before anything that is wrong with the body', async () => {
    const tooLarge = [['Content-Length', String(2 ** 21)]] as const;
    assertEnvelope(await rawCall(server, 'POST', '/api/v2/nothing', tooLarge), 404);
    const headers = { 'content-type': 'nonsense' };
    assertEnvelope(await server.call('POST', '/api/v2/nothing', { body: '{', headers }), 404);
  });

  it('answers 400 to a path with malformed percent-encoding', async () => {
    for (const path of ['/%', '/api/v2/custom-nodes/%zz', '/api/v2/custom-nodes/%C3%28', '/api/v2/saml%']) {
      const problems = assertEnvelope(await rawCall(server, 'GET', path), 400);
      assert.deepEqual(problems, [{ context: 'path', message: 'the path is not valid' }]);
    }
  });

  it('answers 404 to a part of the path that is longer than any identifier', async () => {
    const path = `/api/v2/custom-nodes/${'x'.repeat(2049)}`;
    assertEnvelope(await server.call('GET', path, { token: admin.token }), 404);
  });

  it('answers 404 to paths that lead out of the docs page', async () => {
    for (const path of ['/api/docs/static/%2e%2e/package.json', '/api/docs/static/..%2f..%2fpackage.json'])
      assertEnvelope(await rawCall(server, 'GET', path), 404);
  });

  it('has another id for every request', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => server.call('GET', '/nothing')));
    assert.equal(new Set(answers.map(({ body }) => body.request_id)).size, 20);
  });

  it('has an id that the caller cannot choose', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    const headers = { 'x-request-id': id, 'request-id': id, requestid: id };
    const { body } = await server.call('GET', '/nothing', { headers });
    assert.notEqual(body.request_id, id);
  });

  it("has the server's time", async () => {
    const { body } = await server.call('GET', '/nothing');
    assert.ok(Math.abs(Date.parse(body.timestamp) - server.now()) < 60_000);
  });

  it('has the ids in the headers of good answers, too', async () => {
    const { headers } = await server.call('GET', '/health/live');
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(headers.get('requestid'), headers.get('x-request-id'));
  });
});

describe('a method that a path does not take', () => {
  it('answers 405 with Allow, for every path and method', async () => {
    const connection = await RawConnection.open(server.url);
    for (const [path, operations] of Object.entries(document.paths)) {
      const taken = Object.keys(operations).map((method) => method.toUpperCase());
      if (taken.includes('GET')) taken.push('HEAD');
      const allow = taken.sort().join(', ');
      for (const method of METHODS) {
        if (taken.includes(method) || method === 'CONNECT') continue;
        connection.send(requestText(method, path.replace(/\{\w+\}/g, '1')));
        const answer = await connection.read({ head: method === 'HEAD' });
        assert.equal(answer.headers.allow, allow, `${method} ${path}`);
        if (method === 'HEAD') assert.equal(answer.status, 405);
        else assert.equal(assertEnvelope(answer, 405)[0]?.context, 'method');
      }
    }
    connection.close();
  });

  it('answers 405 before anything that is wrong with the body', async () => {
    const tooLarge = [['Content-Length', String(2 ** 21)]] as const;
    assertEnvelope(await rawCall(server, 'POST', '/api/v2/saml', tooLarge), 405);
    assertEnvelope(await rawCall(server, 'PATCH', '/api/v2/saml', [['Content-Type', 'nonsense']]), 405);
  });
});

describe('application/problem+json', () => {
  it('has the same facts as RFC 9457 wants them', async () => {
    const headers = { accept: 'application/problem+json' };
    const answer = await server.call('DELETE', '/api/v2/saml/providers/x?y=1', {
      token: admin.token,
      headers,
    });
    const { body } = answer;
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal(answer.headers.get('x-request-id'), body.request_id);
    assert.deepEqual(
      { ...body, timestamp: '', request_id: '', instance: '' },
      {
        type: 'about:blank',
        title: titleOf.bad_request,
        status: 400,
        detail: body.errors[0].message,
        instance: '',
        timestamp: '',
        request_id: '',
        errors: [
          {
            context: 'saml_provider_id',
            message: 'saml_provider_id must be a whole number that fits 32 bits, but is "x"',
          },
          { context: 'y', message: 'unknown query parameter: y' },
        ],
      },
    );
    assert.equal(body.instance, `urn:uuid:${body.request_id}`);
  });

  it('comes on unknown paths and framework errors, too', async () => {
    for (const path of ['/nothing', '/%']) {
      const { headers } = await rawCall(server, 'GET', path, [['Accept', 'application/problem+json']]);
      assert.equal(headers['content-type'], 'application/problem+json');
    }
  });

  for (const [accept, expected] of [
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['application/json', false],
    ['application/*', false],
    ['text/html', false],
    ['application/problem+json', true],
    ['APPLICATION/PROBLEM+JSON', true],
    ['application/problem+json; charset=utf-8', true],
    ['application/problem+json;q=0', false],
    ['application/problem+json;q=0.5, application/json', false],
    ['application/problem+json, application/json;q=0.5', true],
    ['application/json, application/problem+json', true],
    ['application/problem+json;q=0.5, */*;q=0.1', true],
    ['application/problem+json;q=0.1, */*', false],
    ['application/problem+json;q=0.1, application/*;q=0.2, */*;q=0.1', false],
    ['application/json;q=0.1, application/problem+json;q=0.2, */*', true],
    ['application/problem+jsonx', false],
  ] as const) {
    it(`${expected ? 'is' : 'is not'} what Accept: ${accept} prefers`, () => {
      assert.equal(prefersProblemJson(accept), expected);
    });
  }
});

describe('the problems of a request', () => {
  const names = (problems: { context: string }[]) => problems.map(({ context }) => context);

  it('are at most 20', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`member${index}`, 1]));
    const answer = await server.call('PUT', '/api/v2/config', { token: admin.token, body: unknown });
    assert.equal(assertEnvelope(answer, 400).length, 20);
  });

  it('are told together: path, query and body', async () => {
    const probe = await serveOperations(server.deps, (register) =>
      register({
        id: 'Everything',
        method: 'PUT',
        url: '/things/{thing_id}',
        tag: 'Test',
        summary: 'Takes all three',
        access: 'public',
        path: Struct({ thing_id: Int32Parameter() }),
        query: Struct({ size: Int32Parameter({ minimum: 1 }), kind: Type.Enum(['a', 'b']) }),
        body: Struct({ name: Type.String(), tags: Type.Array(Type.String()) }),
        answer: Struct({}),
        answerExample: {},
        handle: async () => ({}),
      }),
    );
    try {
      const wrong = await probe.call('PUT', '/things/one?size=0&kind=c', {
        body: { name: 5, tags: ['x', null] },
      });
      assert.deepEqual(names(assertEnvelope(wrong, 400)), ['thing_id', 'size', 'kind', 'name', 'tags.1']);
      const headers = { 'content-type': 'application/json' };
      const noJson = await probe.call('PUT', '/things/one?size=1', { body: '{', headers });
      assert.deepEqual(names(assertEnvelope(noJson, 400)), ['thing_id', 'kind', 'body']);
      const nothing = await probe.call('PUT', '/things/1?kind=a&kind=b');
      assert.deepEqual(names(assertEnvelope(nothing, 400)), ['size', 'kind', 'body']);
      const good = await probe.call('PUT', '/things/1?size=1&kind=a', { body: { name: '', tags: [] } });
      assert.equal(good.status, 200);
    } finally {
      await probe.stop();
    }
  });

  it('include an unknown query parameter on DELETE, whatever its name', async () => {
    const path = '/api/v2/saml/providers/7?force=1&constructor=1&toString=1&__proto__=1';
    const problems = assertEnvelope(await server.call('DELETE', path, { token: admin.token }), 400);
    assert.deepEqual(names(problems), ['force', 'constructor', 'toString', '__proto__']);
  });
});

describe('the error codes', () => {
  it('each have a status of their own and a title', () => {
    assert.equal(new Set(Object.values(statusOf)).size, Object.keys(statusOf).length);
    for (const code of Object.keys(statusOf)) assert.ok(code in titleOf, code);
  });
});
