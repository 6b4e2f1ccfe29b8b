import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { Upload } from './operation.ts';
import { Pace, type PaceSettings } from './pace.ts';

/** The body of a request that its handler reads as it arrives. */
export function uploadOf(request: FastifyRequest, pace: PaceSettings): Upload {
  const { 'content-type': contentType, 'content-encoding': contentEncoding } = request.headers;
  const announced = request.headers['content-length'];
  return {
    contentType,
    contentEncoding,
    fileName: readFileName(request),
    length: announced === undefined ? undefined : Number(announced),
    standing: request.kennel?.standing ?? 'unproven',
    bytes: readBytes(request, new Pace(pace)),
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

async function* readBytes(request: FastifyRequest, pace: Pace): AsyncIterable<Uint8Array> {
  const message = request.raw;
  const check = request.kennel?.body;
  // Whoever stops reading still has an answer to send on this connection.
  const chunks = message.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await pace.next(chunks.next());
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

/**
 * What is still on its way is read and dropped: a caller that is still sending would not see the answer. After it
 * `rest-of-body.ts` sees to an end.
 */
function throwAway(message: IncomingMessage): void {
  message.on('error', () => {});
  message.resume();
}
