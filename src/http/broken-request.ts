import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { errorAnswer } from './errors.ts';
import { endWith } from './rest-of-body.ts';

/** 1,000 environments of posture history fit a request line. */
export const maxHeaderBytes = 128 * 1024;

interface Setting {
  readonly now: () => number;
  readonly headers: Readonly<Record<string, string>>;
  /** The latest answer that was begun on each connection. */
  readonly answers: WeakMap<Socket, ServerResponse>;
}

/** What the HTTP parser itself refuses gets the envelope too. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket, setting: Setting): void {
  const answer = setting.answers.get(socket);
  // In the middle of another answer this one would be taken for a part of it.
  const isAnswering = answer?.headersSent === true && !answer.writableFinished;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) socket.destroy();
  else refuse(explained(error), socket, setting);
}

/** Node passes these by the request handler, and would close the connection without a word. */
export function answerTunnels(server: Server, setting: Setting): void {
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    refuse(new AppError('bad_request', 'this is no proxy: CONNECT leads nowhere'), socket, setting);
  });
}

function explained(error: NodeJS.ErrnoException): AppError {
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new AppError(
      'headers_too_large',
      `the request line and headers may have at most ${maxHeaderBytes} bytes`,
    );
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('request_timeout', 'the request did not arrive in time');
  return new AppError('bad_request', 'this is not a valid HTTP request');
}

function refuse(error: AppError, socket: Socket, setting: Setting): void {
  const now = setting.now();
  const id = randomUUID();
  const answer = errorAnswer(error, { id, operation: 'request', accept: undefined, now });
  const headers = {
    ...setting.headers,
    ...answer.headers,
    date: new Date(now).toUTCString(),
    'x-request-id': id,
    requestid: id,
    connection: 'close',
    'content-length': Buffer.byteLength(answer.body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const reason = STATUS_CODES[answer.status] ?? '';
  endWith(socket, `HTTP/1.1 ${answer.status} ${reason}\r\n${lines.join('\r\n')}\r\n\r\n${answer.body}`);
}
