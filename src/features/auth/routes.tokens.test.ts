import assert from 'node:assert/strict';
import { createHmac, createSign, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { type MadeUser, makeClient, makeToken, makeUser } from '../../../test/server/builders.ts';
import { type Answer, startTestServer, type TestServer } from '../../../test/server/harness.ts';

type Json = Record<string, unknown>;
type Forged = (own: Json, otherSession: string) => string;

let key: Uint8Array;
const encode = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = { alg: 'HS256', typ: 'JWT' };
const now = () => Math.floor(Date.now() / 1000);

/** A token with any header and claims, signed with any key. */
function forge(head: Json, claims: Json, signedWith: Uint8Array | string = key, digest = 'sha256'): string {
  const signed = `${encode(head)}.${encode(claims)}`;
  return `${signed}.${createHmac(digest, signedWith).update(signed).digest('base64url')}`;
}

function without(claims: Json, name: string): Json {
  return Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name));
}

function signedWithRsa(claims: Json): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signed = `${encode({ alg: 'RS256' })}.${encode(claims)}`;
  return `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`;
}

/** Each is one step away from a token that is accepted. */
const forgeries: Record<string, Forged> = {
  'the algorithm none': (own) => `${encode({ alg: 'none' })}.${encode(own)}.`,
  'the algorithm None, still signed': (own) => forge({ alg: 'None' }, own),
  'no algorithm': (own) => forge({ typ: 'JWT' }, own),
  'HS384 with the same key': (own) => forge({ alg: 'HS384' }, own, key, 'sha384'),
  'HS512 with the same key': (own) => forge({ alg: 'HS512' }, own, key, 'sha512'),
  'RS256 in the header only': (own) => forge({ alg: 'RS256' }, own),
  'RS256 by a key of its own': (own) => signedWithRsa(own),
  'a key in its header': (own) =>
    forge({ ...header, jwk: { kty: 'oct', k: Buffer.from('mine').toString('base64url') } }, own, 'mine'),
  'a critical extension': (own) => forge({ ...header, crit: ['exp'], exp: 1 }, own),
  'an unencoded payload': (own) => forge({ ...header, b64: false, crit: ['b64'] }, own),
  'another key': (own) => forge(header, own, randomBytes(32)),
  'an empty key': (own) => forge(header, own, ''),
  'another issuer': (own) => forge(header, { ...own, iss: `kennel:${randomUUID()}` }),
  'no issuer': (own) => forge(header, without(own, 'iss')),
  'an audience that is not known': (own) => forge(header, { ...own, aud: 'admin' }),
  'the audience of collectors': (own) => forge(header, { ...own, aud: 'client' }),
  'both audiences': (own) => forge(header, { ...own, aud: ['user', 'client'] }),
  'no audience': (own) => forge(header, without(own, 'aud')),
  'no subject': (own) => forge(header, without(own, 'sub')),
  'no session': (own) => forge(header, without(own, 'jti')),
  'no time of issue': (own) => forge(header, without(own, 'iat')),
  'no expiry': (own) => forge(header, without(own, 'exp')),
  'an expiry of a second ago': (own) => forge(header, { ...own, exp: now() - 1 }),
  'an expiry in words': (own) => forge(header, { ...own, exp: String(now() + 3600) }),
  'a time of issue that is to come': (own) => forge(header, { ...own, iat: now() + 120 }),
  'a time before which it is not valid': (own) => forge(header, { ...own, nbf: now() + 120 }),
  'another subject': (own) => forge(header, { ...own, sub: randomUUID() }),
  'a subject that is a number': (own) => forge(header, { ...own, sub: 7 }),
  'the session of somebody else': (own, otherSession) => forge(header, { ...own, jti: otherSession }),
  'a session that never was': (own) => forge(header, { ...own, jti: randomUUID() }),
  'a session that is an array': (own) => forge(header, { ...own, jti: [own.jti] }),
  'other claims than were signed': (own) => {
    const [head, , signature] = forge(header, own).split('.');
    return `${head}.${encode({ ...own, exp: Number(own.exp) + 1 })}.${signature}`;
  },
  'a header type of a nested token': (own) => forge({ ...header, cty: 'JWT', crit: ['cty'] }, own),
  'a key id that is a path': (own) => forge({ ...header, kid: '../../dev/null' }, own, ''),
  'a key at an address of its own': (own) => forge({ ...header, jku: 'http://127.0.0.1/keys' }, own, 'mine'),
  'hs256 in lower case': (own) => forge({ alg: 'hs256' }, own),
  'the algorithm ES256': (own) => forge({ alg: 'ES256' }, own),
  'the algorithm as an array': (own) => forge({ alg: ['HS256'] }, own),
  'the key as base64 text': (own) => forge(header, own, Buffer.from(key).toString('base64')),
  'the key as hex text': (own) => forge(header, own, Buffer.from(key).toString('hex')),
  'the issuer with a blank': (own) => forge(header, { ...own, iss: `${own.iss} ` }),
  'the issuer in a look-alike letter': (own) =>
    forge(header, { ...own, iss: String(own.iss).replace('e', '\u0435') }),
  'the issuer as an array': (own) => forge(header, { ...own, iss: [own.iss] }),
  'the audience in another case': (own) => forge(header, { ...own, aud: 'User' }),
  'an empty audience': (own) => forge(header, { ...own, aud: [] }),
  'the subject in upper case': (own) => forge(header, { ...own, sub: String(own.sub).toUpperCase() }),
  'an expiry that is no finite number': (own) =>
    forge(header, own).replace(/^([^.]+)\.[^.]+/, (_, head: string) => {
      const text = JSON.stringify({ ...own, exp: 0 }).replace('"exp":0', '"exp":1e999');
      return `${head}.${Buffer.from(text).toString('base64url')}`;
    }),
  'a time of issue in the year 9999': (own) => forge(header, { ...own, iat: 253402300799 }),
  'one letter of the signature changed': (own) => {
    const token = forge(header, own);
    const at = token.length - 20;
    return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
  },
  'one letter of the claims changed': (own) => {
    const [head = '', body = '', signature = ''] = forge(header, own).split('.');
    return `${head}.${body.slice(0, 9)}${body[9] === 'A' ? 'B' : 'A'}${body.slice(10)}.${signature}`;
  },
  'its header and claims swapped': (own) => {
    const [head, body, signature] = forge(header, own).split('.');
    return `${body}.${head}.${signature}`;
  },
  'its end cut off': (own) => forge(header, own).slice(0, -5),
  'its signature cut off': (own) => forge(header, own).replace(/[^.]+$/, ''),
  'two parts': (own) => forge(header, own).replace(/\.[^.]+$/, ''),
  'an extra part': (own) => `${forge(header, own)}.${encode({})}`,
  'five parts': (own) => `${forge(header, own)}.a.b`,
  'claims that are not JSON': () => {
    const signed = `${encode(header)}.${Buffer.from('{').toString('base64url')}`;
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  },
  'nothing but dots': () => '..',
  'no dots at all': () => 'null',
  'far more text than any token': (own) => forge(header, { ...own, more: 'x'.repeat(5000) }),
};

/** What else the Authorization header could hold, `$` standing for a good token. */
const headerForms = {
  'the token alone': '$',
  'the scheme alone': 'Bearer',
  'a blank token': 'Bearer  ',
  'another scheme': 'Token $',
  'HTTP Basic': 'Basic $',
  'two blanks': 'Bearer  $',
  'a tab': 'Bearer\t$',
  'no blank': 'Bearer$',
  'a colon': 'Bearer: $',
  quotes: 'Bearer "$"',
  'a word after it': 'Bearer $ x',
  'two tokens': 'Bearer $, Bearer $',
  'a parameter': 'Bearer token=$',
  'an empty header': '',
};

describe('Authorization', () => {
  let server: TestServer;
  let user: MadeUser;
  let claims: Json;
  const self = (token: string, at: TestServer = server) => at.call('GET', '/api/v2/self', { token });

  before(async () => {
    server = await startTestServer();
    key = server.deps.keys.tokens;
    user = await makeUser(server.deps);
    claims = decodeJwt(user.token);
  });

  after(() => server.stop());

  function checkRefused({ status, headers, body }: Answer): void {
    assert.equal(status, 401);
    assert.equal(headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    assert.equal(headers.get('cache-control'), 'no-store');
    const message = 'the token is not valid, has expired or was ended';
    assert.deepEqual(body.errors, [{ context: 'Authorization', message }]);
  }

  /** What the forgeries depart from; also shows that they fail for the reason they name. */
  it('answers 200 to a token made of the same claims, and to one issued a little ahead of time', async () => {
    assert.equal((await self(forge(header, claims))).status, 200);
    assert.equal((await self(forge({ alg: 'HS256' }, { ...claims, iat: now() + 30, more: 1 }))).status, 200);
  });

  it('answers 200 to the scheme in any case, as HTTP has it', async () => {
    for (const scheme of ['bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${user.token}` };
      assert.equal((await server.call('GET', '/api/v2/self', { headers })).status, 200, scheme);
    }
  });

  it('is tried with at least sixty forgeries', () => {
    assert.ok(Object.keys(forgeries).length >= 60, String(Object.keys(forgeries).length));
  });

  for (const [description, forged] of Object.entries(forgeries)) {
    it(`answers 401 to a token with ${description}`, async () => {
      const other = await makeUser(server.deps);
      const token = forged(claims, String(decodeJwt(other.token).jti));
      checkRefused(await self(token));
      // Refused every time, not only while nothing is remembered of it.
      checkRefused(await self(token));
    });
  }

  for (const [description, form] of Object.entries(headerForms)) {
    it(`answers 401 to a header with ${description}`, async () => {
      const authorization = form.replaceAll('$', user.token);
      const { status, headers, body } = await server.call('GET', '/api/v2/self', {
        headers: { authorization },
      });
      assert.equal(status, 401);
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
      assert.equal(body.errors[0].context, 'Authorization');
    });
  }

  it('answers 401 to a token anywhere but in the header (gap 8.6)', async () => {
    const { token } = user;
    const { status } = await server.call('GET', `/api/v2/self?access_token=${token}&token=${token}`, {
      headers: { cookie: `token=${token}; session=${token}`, 'x-api-key': token },
    });
    assert.equal(status, 401);
  });

  it('answers 401 to a collector and a user that swap their audiences', async () => {
    const collector = await makeClient(server.deps);
    const own = decodeJwt(collector.token);
    assert.equal((await self(forge(header, own))).status, 200);
    checkRefused(await self(forge(header, { ...own, aud: 'user' })));
    checkRefused(await self(forge(header, { ...own, sub: user.id })));
    checkRefused(await self(forge(header, { ...own, aud: 'user', sub: user.id })));
    checkRefused(await self(forge(header, { ...claims, aud: 'client', sub: collector.id })));
  });
});

describe('Authorization, as time goes by', () => {
  let server: TestServer;
  const self = (token: string) => server.call('GET', '/api/v2/self', { token });

  before(async () => {
    server = await startTestServer();
    key = server.deps.keys.tokens;
  });

  after(() => server.stop());

  it('answers 401 once a token that was in use has expired, even if its session has not', async () => {
    const { token } = await makeUser(server.deps);
    const claims = decodeJwt(token);
    const short = forge(header, { ...claims, exp: Number(claims.exp) - 3600 });
    for (const used of [token, short]) assert.equal((await self(used)).status, 200);
    server.advance(7 * 3_600_000);
    assert.deepEqual([(await self(token)).status, (await self(short)).status], [200, 401]);
    server.advance(3_600_000);
    assert.equal((await self(token)).status, 401);
  });

  it('answers 401 once the session has expired in the store, whatever the token says', async () => {
    const user = await makeUser(server.deps);
    const short = decodeJwt(await makeToken(server.deps, 'user', user.id, 60_000));
    const token = forge(header, { ...short, exp: Number(short.exp) + 36_000 });
    assert.equal((await self(token)).status, 200);
    server.advance(60_000);
    assert.equal((await self(token)).status, 401);
    assert.equal((await self(user.token)).status, 200);
  });
});
