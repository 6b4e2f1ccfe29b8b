import type { IncomingMessage } from 'node:http';
import { gunzipSync, inflateSync } from 'node:zlib';
import { AppError } from '../errors.ts';
import { decodeUtf8, JsonProblem, parseStrictJson } from '../values/json.ts';

/** gap 1.10 */
export const maxBodyBytes = 1024 * 1024;
const bodyTimeoutMs = 60_000;

/** The body exactly as it was sent: a signature covers these bytes, before any decompression. */
export function readRawBody(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => fail(tooSlow()), bodyTimeoutMs);
    const settle = () => {
      clearTimeout(timer);
      message.off('data', take).off('end', finish).off('error', fail).off('aborted', abort);
    };
    const fail = (error: Error) => {
      settle();
      message.resume(); // what is still on its way is thrown away, so that the answer can be read
      reject(error);
    };
    const abort = () =>
      fail(new AppError('bad_request', 'the request body was cut off', { context: 'body' }));
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) fail(tooLarge());
      else chunks.push(chunk);
    };
    const finish = () => {
      settle();
      resolve(Buffer.concat(chunks));
    };
    if (Number(message.headers['content-length']) > maxBodyBytes) {
      fail(tooLarge());
      return;
    }
    // The caller may have gone while its token was being checked: then no event will come.
    if (message.destroyed) {
      abort();
      return;
    }
    message.on('data', take).on('end', finish).on('error', fail).on('aborted', abort);
  });
}

function tooLarge(): AppError {
  return new AppError('too_large', `the request body may have at most ${maxBodyBytes} bytes`, {
    context: 'body',
    // The rest of the body is not worth reading.
    headers: { connection: 'close' },
  });
}

function tooSlow(): AppError {
  return new AppError(
    'request_timeout',
    `the request body did not arrive within ${bodyTimeoutMs / 1000} seconds`,
    {
      context: 'body',
      headers: { connection: 'close' },
    },
  );
}

/** The JSON value of a non-empty body. `replaced` counts characters that can't be stored (gap 1.14). */
export function decodeJsonBody(
  raw: Buffer,
  headers: { readonly 'content-type'?: string | undefined; readonly 'content-encoding'?: string | undefined },
): { value: unknown; replaced: number } {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new AppError('unsupported_media_type', 'the Content-Type of the body must be application/json', {
      context: 'Content-Type',
    });
  }
  try {
    return parseStrictJson(decodeUtf8(decompressed(raw, headers['content-encoding'])));
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw new AppError('bad_request', `the body is not valid JSON: ${error.message}`, { context: 'body' });
  }
}

const inflaters = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
]);

function decompressed(raw: Buffer, encoding: string | undefined): Buffer {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  const inflate = inflaters.get(name);
  if (inflate === undefined) {
    if (name === 'identity' || name === '') return raw;
    throw new AppError('unsupported_media_type', 'the Content-Encoding must be gzip, deflate or identity', {
      context: 'Content-Encoding',
    });
  }
  try {
    return inflate(raw, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new AppError('bad_request', `the body is not valid ${name} data`, {
      context: 'body',
      cause: error,
    });
  }
}
