import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip, addVary, matches } from './negotiation.ts';

interface Forms {
  readonly plain: Buffer;
  readonly compressed: Buffer;
  readonly etag: string;
}

/** A JSON answer that is the same for everybody and never changes: made, written and compressed once, when first asked for. */
export class ReadyJson {
  readonly #make: () => unknown;
  #forms: Forms | undefined;

  constructor(make: () => unknown) {
    this.#make = make;
  }

  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    this.#forms ??= formsOf(this.#make());
    const { plain, compressed, etag } = this.#forms;
    reply.header('content-type', 'application/json');
    reply.header('cache-control', 'private, no-cache');
    reply.header('etag', etag);
    addVary(reply, 'accept-encoding');
    if (matches(request.headers['if-none-match'], etag)) return reply.status(304).send();
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(plain);
    reply.header('content-encoding', 'gzip');
    return reply.send(compressed);
  }
}

function formsOf(value: unknown): Forms {
  const plain = Buffer.from(JSON.stringify(value));
  const etag = `W/"${createHash('sha1').update(plain).digest('base64url')}"`;
  return { plain, compressed: gzipSync(plain, { level: 9 }), etag };
}
