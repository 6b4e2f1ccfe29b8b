import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { errorAnswer } from './errors.ts';

/** 1,000 environments of posture history fit a request line. */
export const maxHeaderBytes = 128 * 1024;

/** What the HTTP parser itself refuses gets the envelope too. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, now: number): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const known =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new AppError(
          'headers_too_large',
          `the request line and headers may have at most ${maxHeaderBytes} bytes`,
        )
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new AppError('request_timeout', 'the request did not arrive in time')
        : new AppError('bad_request', 'this is not a valid HTTP request');
  const id = randomUUID();
  const answer = errorAnswer(known, { id, operation: 'request', accept: undefined, now });
  const headers = {
    ...answer.headers,
    'x-request-id': id,
    requestid: id,
    connection: 'close',
    'content-length': Buffer.byteLength(answer.body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${answer.status} Error\r\n${lines.join('\r\n')}\r\n\r\n${answer.body}`);
}
