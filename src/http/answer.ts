import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);
/** Smaller answers fit a packet or two; compressing them costs more than it saves. */
const compressFromBytes = 1400;

interface AnswerOptions {
  /** False where the answer depends on the present time. */
  readonly validator: boolean;
  readonly secret: boolean;
}

/** Sends a JSON answer with the caching and compression that every answer has (gap 1.11). */
export async function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  value: unknown,
  options: AnswerOptions,
): Promise<FastifyReply> {
  const text = JSON.stringify(value);
  reply.header('content-type', 'application/json; charset=utf-8');
  reply.header('cache-control', options.secret ? 'no-store' : 'private, no-cache');
  const mayCompress = text.length >= compressFromBytes;
  // Also with a 304, which has the headers of the answer that it stands for.
  if (mayCompress) addVary(reply, 'accept-encoding');
  if (options.validator) {
    const etag = `W/"${createHash('sha1').update(text).digest('base64url')}"`;
    reply.header('etag', etag);
    if (matches(request.headers['if-none-match'], etag)) return reply.status(304).send();
  }
  if (!mayCompress || !acceptsGzip(request.headers['accept-encoding'])) return reply.send(text);
  reply.header('content-encoding', 'gzip');
  return reply.send(await compress(text));
}

export function addVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? name : `${String(before)}, ${name}`);
}

/** Weak comparison, as RFC 9110 asks for `If-None-Match`. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.slice(2);
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque);
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  let wildcard = false;
  for (const part of String(header).toLowerCase().split(',')) {
    const [coding, ...parameters] = part.split(';').map((piece) => piece.trim());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return !refused;
    if (coding === '*') wildcard = !refused;
  }
  return wildcard;
}
