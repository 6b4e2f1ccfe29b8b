import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { Upload } from './operation.ts';

/** gap 1.5: a body has no time limit of its own, but may not stand still for this long. */
const idleMs = 60_000;

/** The body of a request that its handler reads as it arrives. */
export function uploadOf(request: FastifyRequest): Upload {
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.headers;
  const announced = request.headers['content-length'];
  return {
    contentType,
    contentEncoding,
    length: announced === undefined ? undefined : Number(announced),
    bytes: readBytes(request),
    confirm: async () => request.kennel?.body?.finish(),
  };
}

async function* readBytes(request: FastifyRequest): AsyncIterable<Uint8Array> {
  const message = request.raw;
  const check = request.kennel?.body;
  let isIdle = false;
  message.setTimeout(idleMs, () => {
    isIdle = true;
    message.destroy();
  });
  try {
    // Whoever stops reading still has an answer to send on this connection.
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      check?.update(chunk as Buffer);
      yield chunk as Buffer;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw isIdle
      ? new AppError('request_timeout', `no byte of the body arrived for ${idleMs / 1000} seconds`, {
          context: 'body',
          headers: { connection: 'close' },
        })
      : new AppError('bad_request', 'the request body was cut off', { context: 'body', cause: error });
  } finally {
    message.setTimeout(0);
  }
}
