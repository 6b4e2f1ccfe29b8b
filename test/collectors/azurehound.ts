import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Answer } from '../server/call.ts';
import { type SigningToken, signature } from './signing.ts';

export type Reply = Pick<Answer, 'status' | 'body'>;

/** One request as it goes over the wire; it can be sent again, to the byte. */
export interface Wire {
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | undefined;
}

/** Local time with its offset and whole seconds, as Go writes it. */
function goDate(offsetHours: number): string {
  const local = new Date(Date.now() + offsetHours * 3_600_000).toISOString().slice(0, 19);
  const zone = `${offsetHours < 0 ? '-' : '+'}${String(Math.abs(offsetHours)).padStart(2, '0')}:00`;
  return local + zone;
}

export function azureHoundRequest(token: SigningToken, method: string, target: string, body?: Buffer): Wire {
  const date = goDate(-5);
  const isIngest = target.endsWith('/ingest');
  return {
    method,
    target,
    body,
    headers: {
      'User-Agent': 'azurehound/v2.8.2',
      Accept: 'application/json',
      'Accept-Encoding': 'gzip',
      Authorization: `bhesignature ${token.id}`,
      Requestdate: date,
      Signature: signature(token.key, method, target, date, body ?? ''),
      ...(body === undefined ? {} : { 'Content-Length': String(body.length) }),
      ...(body === undefined || isIngest ? {} : { 'Content-Type': 'application/json' }),
      ...(isIngest ? { 'Content-Encoding': 'gzip' } : {}),
    },
  };
}

/** JSON as that collector's encoder writes it: with a line feed at its end. */
export const goJson = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);

export async function transmit(url: string, { method, target, headers, body }: Wire): Promise<Reply> {
  const sent = request(url + target, { method, headers, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const text = (answer.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString();
  return { status: answer.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) };
}
