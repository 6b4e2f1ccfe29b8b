import assert from 'node:assert/strict';
import type { Answer, TestServer } from '../server/harness.ts';
import { type SigningToken, signedHeaders } from './signing.ts';

export interface Registered {
  readonly id: string;
  readonly name: string;
  readonly signing: SigningToken;
}

let serial = 0;

/** A collector as an administrator registers it. */
export async function registerCollector(
  server: Pick<TestServer, 'call'>,
  token: string,
  wish: Record<string, unknown> = {},
): Promise<Registered> {
  const name = `registered-${++serial}`;
  const body = { name, type: 'azurehound', ...wish };
  const { status, text, body: answer } = await server.call('POST', '/api/v2/clients', { token, body });
  assert.equal(status, 200, text);
  const { id, token: made } = answer.data;
  return { id, name: answer.data.name, signing: { id: made.id, key: made.key } };
}

/** As a deployed collector sends it: signed, with JSON where there is a body. */
export function callSigned(
  server: Pick<TestServer, 'call'>,
  token: SigningToken,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const text = body === undefined ? undefined : `${JSON.stringify(body)}\n`;
  return server.call(method, path, {
    body: text,
    asSigningCollector: true,
    headers: {
      ...signedHeaders(token, method, path, text),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
  });
}

/** As an OAuth client asks for a Bearer token. */
export function askForToken(
  server: Pick<TestServer, 'call'>,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return server.call('POST', '/api/v2/oauth/token', {
    body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

export async function bearerOf(server: Pick<TestServer, 'call'>, token: SigningToken): Promise<string> {
  const fields = { grant_type: 'client_credentials', client_id: token.id, client_secret: token.key };
  const { status, text, body } = await askForToken(server, fields);
  assert.equal(status, 200, text);
  return body.access_token;
}
