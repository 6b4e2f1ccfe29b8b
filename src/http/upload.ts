import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
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
    fileName: readFileName(request),
    length: announced === undefined ? undefined : Number(announced),
    bytes: readBytes(request),
    confirm: async () => {
      await request.kennel?.body?.finish();
      await request.kennel?.recheck?.();
    },
  };
}

function readFileName({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-file-upload-name'];
  if (typeof given !== 'string') return undefined;
  // A header is read as Latin-1, but clients send names in UTF-8.
  const bytes = Buffer.from(given, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : given;
}

async function* readBytes(request: FastifyRequest): AsyncIterable<Uint8Array> {
  const message = request.raw;
  const check = request.kennel?.body;
  // Whoever stops reading still has an answer to send on this connection.
  const chunks = message.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await soon(chunks.next());
      if (done === true) break;
      check?.update(value);
      yield value;
    }
    isOver = true;
  } catch (error) {
    isOver = true;
    if (error instanceof AppError) throw error;
    throw new AppError('bad_request', 'the request body was cut off', { context: 'body', cause: error });
  } finally {
    if (!isOver) {
      await chunks.return?.();
      throwAway(message);
    }
  }
}

/** The timer runs only while a byte is waited for: a slow store is not the caller's fault. */
function soon<T>(next: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(
          new AppError('request_timeout', `no byte of the body arrived for ${idleMs / 1000} seconds`, {
            context: 'body',
            headers: { connection: 'close' },
          }),
        ),
      idleMs,
    );
    next.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * What is still on its way is read and dropped: a caller that is still sending would not see the answer. After it
 * `rest-of-body.ts` sees to an end.
 */
function throwAway(message: IncomingMessage): void {
  message.on('error', () => {});
  message.resume();
}
