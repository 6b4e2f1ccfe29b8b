import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

/** Node keeps the first of these and drops the others, while a proxy on the way may have gone by another one. */
const onlyOnce = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
  ['content-type', 'Content-Type'],
]);
/** A name or address with a port; RFC 9110 allows an empty one. */
const hostForm = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/** What Node itself would refuse without our form of an error, or would let pass. */
export function checkHead({ raw, headers }: FastifyRequest): void {
  checkHost(headers.host, raw.httpVersion);
  const seen = new Set<string>();
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const name = onlyOnce.get(raw.rawHeaders[index]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) throw bad(name, `the ${name} header is given more than once`);
    seen.add(name);
  }
  const { expect } = headers;
  // An HTTP/1.0 server would not know the header.
  if (expect === undefined || raw.httpVersion === '1.0' || expect.toLowerCase() === '100-continue') return;
  throw new AppError('expectation_failed', 'the only expectation that can be met is 100-continue', {
    context: 'Expect',
    // Whether a body follows is anybody's guess.
    headers: { connection: 'close' },
  });
}

function checkHost(host: string | undefined, httpVersion: string): void {
  if (host === undefined) {
    if (httpVersion === '1.0') return;
    throw bad('Host', 'the Host header is required');
  }
  if (!hostForm.test(host))
    throw bad('Host', 'the Host header must be a name or an address, with a port or without');
}

function bad(context: string, message: string): AppError {
  return new AppError('bad_request', message, { context });
}
