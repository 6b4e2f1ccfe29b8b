import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip, addVary, matches } from './negotiation.ts';
import type { Document } from './operation.ts';

const compress = promisify(gzip);
/** Smaller answers fit a packet or two; compressing them costs more than it saves. */
const compressFromBytes = 1400;

interface AnswerOptions {
  /** False where the answer depends on the present time. */
  readonly validator: boolean;
  readonly secret: boolean;
}

/**
 * Sends a JSON answer with the caching and compression that every answer has (gap 1.11). It goes out as bytes:
 * Fastify would give the media type of a text a charset, which JSON does not have (gap 1.1).
 */
export async function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  value: unknown,
  options: AnswerOptions,
): Promise<FastifyReply> {
  const text = JSON.stringify(value);
  reply.header('content-type', 'application/json');
  reply.header('cache-control', options.secret ? 'no-store' : 'private, no-cache');
  const mayCompress = text.length >= compressFromBytes;
  // Also with a 304, which has the headers of the answer that it stands for.
  if (mayCompress) addVary(reply, 'accept-encoding');
  if (options.validator) {
    const etag = `W/"${createHash('sha1').update(text).digest('base64url')}"`;
    reply.header('etag', etag);
    if (matches(request.headers['if-none-match'], etag)) return reply.status(304).send();
  }
  if (!mayCompress || !acceptsGzip(request.headers['accept-encoding'])) return reply.send(Buffer.from(text));
  reply.header('content-encoding', 'gzip');
  return reply.send(await compress(text));
}

/** gap 1.5: an export has no time limit, but may not stand still for this long. */
const idleMs = 60_000;

export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: Document,
): Promise<FastifyReply> {
  const { mediaType, body, fileName } = document;
  reply.header('content-type', mediaType === 'application/zip' ? mediaType : `${mediaType}; charset=utf-8`);
  reply.header('cache-control', 'private, no-cache');
  if (fileName !== undefined) reply.header('content-disposition', `attachment; filename="${fileName}"`);
  if (typeof body === 'string') return reply.send(body);
  // Fastify would read the whole body to answer a HEAD, and throw it away.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  request.raw.setTimeout(idleMs, () => request.raw.destroy());
  return reply.send(Readable.from(body, { objectMode: false }));
}
