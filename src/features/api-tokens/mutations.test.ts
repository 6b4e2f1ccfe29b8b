import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SigningToken, signature } from '../../../test/collectors/signing.ts';
import { type MadeUser, makeUser } from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

let server: TestServer;
let owner: MadeUser;
let token: SigningToken;

before(async () => {
  server = await startTestServer();
  owner = await makeUser(server.deps);
  const body = { token_name: 'original' };
  token = (await server.call('POST', '/api/v2/tokens', { token: owner.token, body })).body.data;
});
after(() => server.stop());

describe('2,000 changed signed requests', () => {
  it('are all refused', async () => {
    const target = '/api/v2/tokens?name=eq:abc&limit=10';
    const body = '{"token_name":"mutant"}';
    const date = new Date().toISOString();
    const right = signature(token.key, 'POST', target, date, body);
    let random = 20261115;
    const next = (below: number) => {
      random = (random * 1103515245 + 12345) % 2147483648;
      return random % below;
    };
    /** One character put in place of another, inserted or left out. */
    const mutate = (text: string, alphabet: string): string => {
      const at = next(text.length);
      const letter = alphabet.charAt(next(alphabet.length));
      const kind = next(3);
      if (kind === 0) return text.slice(0, at) + letter + text.slice(at + 1);
      return kind === 1
        ? text.slice(0, at) + letter + text.slice(at)
        : text.slice(0, at) + text.slice(at + 1);
    };
    const letters = 'abcdefXYZ0123456789-_=&%.';
    const accepted: string[] = [];
    const seen = new Map<number, number>();
    let sent = 0;
    for (let count = 0; sent < 2000 && count < 10_000; count += 1) {
      const mutant = { method: 'POST', target, body, date, key: token.key, signature: right };
      const part = (['method', 'path', 'query', 'body', 'key', 'hour', 'signature'] as const)[count % 7];
      if (part === 'method') mutant.method = ['PUT', 'PATCH', 'DELETE', 'GET'][next(4)] ?? 'PUT';
      if (part === 'path') mutant.target = `/api/v2/${mutate('tokens', letters)}?name=eq:abc&limit=10`;
      if (part === 'query') mutant.target = `/api/v2/tokens?${mutate('name=eq:abc&limit=10', letters)}`;
      if (part === 'body') mutant.body = mutate(body, letters);
      if (part === 'key')
        mutant.signature = signature(mutate(token.key, letters), 'POST', target, date, body);
      // An hour off in the signed part, but near enough to pass as a date.
      if (part === 'hour')
        mutant.date = new Date(
          Date.parse(date) + (next(2) === 0 ? 1 : -1) * (next(59) + 1) * 60_000,
        ).toISOString();
      if (part === 'signature') mutant.signature = mutate(right, 'ABCabc123+/=');
      const isSame =
        mutant.method === 'POST' &&
        mutant.target === target &&
        mutant.body === body &&
        mutant.date.slice(0, 13) === date.slice(0, 13) &&
        Buffer.from(mutant.signature, 'base64').equals(Buffer.from(right, 'base64'));
      if (isSame) continue;
      sent += 1;
      const answer = await fetch(server.url + mutant.target, {
        method: mutant.method,
        headers: {
          authorization: `bhesignature ${token.id}`,
          requestdate: mutant.date,
          signature: mutant.signature,
          'content-type': 'application/json',
        },
        ...(mutant.method === 'GET' ? {} : { body: mutant.body }),
      });
      await answer.arrayBuffer();
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      // 404 and 405: there is nothing at the changed path, which is told before anybody is identified.
      if (![400, 401, 404, 405].includes(answer.status)) accepted.push(`${part} ${answer.status}`);
    }
    assert.equal(sent, 2000);
    assert.deepEqual(accepted, []);
    assert.ok((seen.get(401) ?? 0) > 900, JSON.stringify([...seen]));
    const made = await server.call('GET', '/api/v2/tokens?name=eq:mutant', { token: owner.token });
    assert.deepEqual(made.body.data.tokens, []);
  });
});
