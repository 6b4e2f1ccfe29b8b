import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type SigningToken, signedHeaders } from '../../../test/collectors/signing.ts';
import {
  auditRows,
  type MadeUser,
  makeClient,
  makeSigningToken,
  makeUser,
} from '../../../test/server/builders.ts';
import { startTestServer, type TestServer } from '../../../test/server/harness.ts';

let server: TestServer;
let owner: MadeUser;
let token: SigningToken;
const self = '/api/v2/self';

const send = (method: string, target: string, headers: Record<string, string>, body?: string | Uint8Array) =>
  server.call(method, target, { headers, body });
const signed = (method: string, target: string, body?: string | Uint8Array) =>
  send(
    method,
    target,
    {
      ...signedHeaders(token, method, target, body),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
  );

before(async () => {
  server = await startTestServer();
  owner = await makeUser(server.deps);
  token = await makeSigningToken(server.deps, { userId: owner.id });
});
after(() => server.stop());

describe('a signed request', () => {
  it('is taken as its owner, with and without query and body', async () => {
    assert.equal((await signed('GET', self)).body.data.principal_name, owner.name);
    const listed = await signed('GET', '/api/v2/tokens?name=eq:te%73t&limit=1');
    assert.equal(listed.body.data.tokens[0].id, token.id);
    const body = JSON.stringify({ token_name: 'made by signature' });
    assert.equal((await signed('POST', '/api/v2/tokens', body)).status, 200);
  });

  it('is taken whatever the case of the scheme and the token id', async () => {
    const headers = signedHeaders(token, 'GET', self);
    for (const authorization of [`BHESignature ${token.id}`, `bhesignature ${token.id.toUpperCase()}`])
      assert.equal((await send('GET', self, { ...headers, authorization })).status, 200);
  });

  it('covers the body as it was sent, still compressed', async () => {
    const plain = JSON.stringify({ token_name: 'zipped' });
    const zipped = gzipSync(plain);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const target = '/api/v2/tokens';
    const right = await send(
      'POST',
      target,
      { ...headers, ...signedHeaders(token, 'POST', target, zipped) },
      zipped,
    );
    assert.equal(right.status, 200);
    const wrong = await send(
      'POST',
      target,
      { ...headers, ...signedHeaders(token, 'POST', target, plain) },
      zipped,
    );
    assert.equal(wrong.status, 401);
  });

  it('is checked before permission, validation and the body are looked at', async () => {
    const wrong = {
      ...signedHeaders(token, 'POST', '/api/v2/tokens', 'x'),
      'content-type': 'application/json',
    };
    assert.equal((await send('POST', '/api/v2/tokens', wrong, '{"not json')).status, 401);
    const reader = await makeUser(server.deps, 'Read-Only');
    const weak = await makeSigningToken(server.deps, { userId: reader.id });
    const target = '/api/v2/saml';
    assert.equal((await send('GET', target, signedHeaders(weak, 'GET', target))).status, 403);
  });

  it('keeps the time of the last access, to the minute', async () => {
    const fresh = await makeSigningToken(server.deps, { userId: owner.id });
    const read = async () =>
      (await signed('GET', `/api/v2/tokens?id=eq:${fresh.id}`)).body.data.tokens[0].last_access;
    assert.equal(await read(), '0001-01-01T00:00:00Z');
    await send('GET', self, signedHeaders(fresh, 'GET', self));
    const first = Date.parse(await read());
    assert.ok(first >= Date.now() - 60_000);
    server.advance(61_000);
    await send('GET', self, signedHeaders(fresh, 'GET', self));
    assert.ok(Date.parse(await read()) >= first + 61_000);
    server.advance(-61_000);
  });

  it('has no session to end', async () => {
    assert.equal((await signed('POST', '/api/v2/logout')).status, 409);
  });

  it('may be repeated, unless its token refuses that', async () => {
    const headers = signedHeaders(token, 'GET', self);
    assert.equal((await send('GET', self, headers)).status, 200);
    assert.equal((await send('GET', self, headers)).status, 200);

    const once = await makeSigningToken(server.deps, { userId: owner.id }, { replayProtection: true });
    const single = signedHeaders(once, 'GET', self);
    assert.equal((await send('GET', self, single)).status, 200);
    const again = await send('GET', self, single);
    assert.equal(again.status, 401);
    assert.match(again.body.errors[0].message, /was sent before/);
    // Another zone writes another date for the same moment, and so another signature.
    const elsewhere = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '+01:00');
    assert.equal((await send('GET', self, signedHeaders(once, 'GET', self, '', elsewhere))).status, 200);
  });

  it('is remembered across processes and restarts where replays are refused', async () => {
    const once = await makeSigningToken(server.deps, { userId: owner.id }, { replayProtection: true });
    const headers = signedHeaders(once, 'GET', self);
    assert.equal((await send('GET', self, headers)).status, 200);
    const rows = await server.deps.db.query<{ signature: string }>(
      'select signature from used_signatures where token_id = $1',
      [once.id],
    );
    assert.deepEqual(
      rows.map((row) => row.signature),
      [headers.signature],
    );
  });
});

describe('a signed request is refused', () => {
  const expect = async (headers: Record<string, string>, status: number, message: RegExp) => {
    const answer = await send('GET', self, headers);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.match(answer.body.errors[0].message, message);
  };
  const without = (name: string) => {
    const { [name]: _, ...rest } = signedHeaders(token, 'GET', self);
    return rest;
  };

  it('with 400 when a header is missing or malformed', async () => {
    const headers = signedHeaders(token, 'GET', self);
    await expect(without('requestdate'), 400, /no request date header$/);
    await expect(without('signature'), 400, /no signature header$/);
    await expect({ ...headers, requestdate: 'yesterday' }, 400, /malformed request date/);
    await expect({ ...headers, requestdate: '2026-11-15T01:54:53+15:00' }, 400, /offset/);
    await expect({ ...headers, signature: '%%%' }, 400, /not base64$/);
    await expect({ ...headers, authorization: 'bhesignature 7' }, 400, /^Token ID is malformed\.$/);
  });

  it('with 401 when the token is unknown or the signature is not its own', async () => {
    const unknown = { id: randomUUID(), key: token.key };
    await expect(signedHeaders(unknown, 'GET', self), 401, /resource not found$/);
    await expect(signedHeaders({ ...token, key: 'other' }, 'GET', self), 401, /signature digest mismatch$/);
    await expect(signedHeaders(token, 'GET', '/api/v2/saml'), 401, /mismatch$/);
  });

  it('with 401 when its date is more than an hour away', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const minute = 60_000;
    for (const [ms, word] of [
      [61 * minute, 'ahead'],
      [-62 * minute, 'behind'],
    ] as const)
      await expect(
        signedHeaders(token, 'GET', self, '', at(ms)),
        401,
        new RegExp(`signature too far ${word}`),
      );
    assert.equal(
      (await send('GET', self, signedHeaders(token, 'GET', self, '', at(-58 * minute)))).status,
      200,
    );
  });

  it('with 401 and one audit record an hour when another zone is to make it look new', async () => {
    const theirs = await makeSigningToken(server.deps, { userId: owner.id });
    const recorded = signedHeaders(theirs, 'GET', self);
    assert.equal((await send('GET', self, recorded)).status, 200);
    const hour = 3_600_000;
    const inWest = (date: string) => date.replace(/\.\d+Z$/, '-05:00');
    const asNew = { ...recorded, requestdate: inWest(recorded.requestdate ?? '') };
    server.advance(5 * hour);
    await expect(asNew, 401, /used more than two hours ago/);
    await expect(asNew, 401, /used more than two hours ago/);
    // One that was held back: its hour has never been seen.
    const date = new Date(Date.now() + hour).toISOString();
    const heldBack = { ...signedHeaders(theirs, 'GET', self, '', date), requestdate: inWest(date) };
    await expect(heldBack, 401, /zone of this token's requests, \+00:00.* the date names -05:00/);
    const records = (await auditRows(server.deps)).filter(({ action }) => action === 'RefuseSignature');
    assert.deepEqual(
      records.map(({ fields }) => fields),
      [
        {
          token: { id: theirs.id },
          owner: { id: owner.id, name: owner.name },
          signed_hour: recorded.requestdate?.slice(0, 13),
          zone: '-05:00',
          zone_of_token: '+00:00',
          refused_since_last_record: 1,
        },
      ],
    );
    const now = new Date(server.now()).toISOString();
    assert.equal((await send('GET', self, signedHeaders(theirs, 'GET', self, '', now))).status, 200);
    server.advance(-5 * hour);
  });

  it('with 403 when the user is disabled', async () => {
    const disabled = await makeUser(server.deps, 'User', { isDisabled: true });
    const theirs = await makeSigningToken(server.deps, { userId: disabled.id });
    await expect(signedHeaders(theirs, 'GET', self), 403, /user disabled$/);
  });

  it('with 401 while the token is suspended, and with 200 once an administrator keeps the tokens', async () => {
    const stranded = await makeUser(server.deps, 'User');
    const theirs = await makeSigningToken(server.deps, { userId: stranded.id });
    const reset = (body: object) =>
      server.call('PUT', `/api/v2/bloodhound-users/${stranded.id}/secret`, { token: owner.token, body });
    assert.equal((await reset({ secret: 'An-entirely-new-1-here' })).status, 200);
    await expect(signedHeaders(theirs, 'GET', self), 401, /the token is suspended/);
    const later = await makeSigningToken(server.deps, { userId: stranded.id });
    assert.equal((await send('GET', self, signedHeaders(later, 'GET', self))).status, 200, 'made afterwards');
    assert.equal((await reset({ secret: 'An-entirely-new-2-here', keep_tokens: true })).status, 200);
    assert.equal((await send('GET', self, signedHeaders(theirs, 'GET', self))).status, 200);
  });
});

describe('a collector that signs', () => {
  it('is taken with its own permissions, whatever the switches for users say', async () => {
    const collector = await makeClient(server.deps);
    const theirs = await makeSigningToken(server.deps, { clientId: collector.id });
    const answer = await send('GET', self, signedHeaders(theirs, 'GET', self));
    assert.equal(answer.body.data.name, collector.name);
    assert.equal(
      (await send('GET', '/api/v2/saml', signedHeaders(theirs, 'GET', '/api/v2/saml'))).status,
      403,
    );
  });
});
