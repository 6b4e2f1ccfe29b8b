import { AppError, type ErrorCode, type Problem } from '../errors.ts';
import { formatRfc3339 } from '../values/time.ts';

export const statusOf: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
  timed_out: 504,
};

export const titleOf: Readonly<Record<ErrorCode, string>> = {
  bad_request: 'The request is not valid',
  unauthenticated: 'Nobody is signed in',
  forbidden: 'The caller may not do this',
  not_found: 'There is no such thing',
  method_not_allowed: 'The path does not take this method',
  request_timeout: 'The request did not arrive in time',
  conflict: 'The present state does not allow this',
  too_large: 'The request body is too large',
  unsupported_media_type: 'The request body has an unsupported form',
  expectation_failed: 'The Expect header asks for what cannot be done',
  rate_limited: 'Too many requests',
  headers_too_large: 'The request line and headers are too large',
  internal: 'A defect in the server',
  not_implemented: 'Not available yet',
  unavailable: 'The server cannot answer now',
  timed_out: 'The request took longer than it may',
};

/** gap 1.2: no more than this many problems are listed. */
const maxProblems = 20;

export const internalMessage =
  'an internal error has occurred that is preventing the service from servicing this request';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What a caller is told. The cause, stack and library text of `error` stay in the log. */
export function errorAnswer(
  error: AppError,
  request: {
    id: string;
    operation: string;
    accept: string | undefined;
    now: number;
    /** What the operation adds to an error of this code. */
    extra?: Readonly<Record<string, string>> | undefined;
  },
): ErrorAnswer {
  const status = statusOf[error.code];
  const errors: Problem[] = error.problems.slice(0, maxProblems).map(({ context, message }) => ({
    context: context === '' ? request.operation : context,
    message,
  }));
  const headers: Record<string, string> = { ...error.headers, 'cache-control': 'no-store' };
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.code === 'unauthenticated') headers['www-authenticate'] ??= 'Bearer';

  const timestamp = formatRfc3339(request.now);
  const extra = { ...request.extra, ...error.extra };
  if (prefersProblemJson(request.accept)) {
    headers['content-type'] = 'application/problem+json';
    const [first] = errors;
    const body = {
      type: 'about:blank',
      title: titleOf[error.code],
      status,
      detail: first?.message ?? error.message,
      instance: `urn:uuid:${request.id}`,
      timestamp,
      request_id: request.id,
      errors,
      ...extra,
    };
    return { status, headers, body: JSON.stringify(body) };
  }
  headers['content-type'] = 'application/json';
  return {
    status,
    headers,
    body: JSON.stringify({ http_status: status, timestamp, request_id: request.id, errors, ...extra }),
  };
}

/** Anything that is not one of our own errors is a defect, and says only that. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { statusCode, code } = (error ?? {}) as { statusCode?: number; code?: string };
  if (code === 'FST_ERR_BAD_URL')
    return new AppError('bad_request', 'the path is not valid', { context: 'path' });
  if (statusCode === 414 || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new AppError('not_found', 'a part of the path is longer than any identifier', { context: 'path' });
  }
  // The file server of the docs page refuses paths that lead out of its folder.
  if (statusCode === 403)
    return new AppError('not_found', 'there is nothing at this path', { context: 'path' });
  return new AppError('internal', internalMessage, { cause: error });
}

/** True when `application/problem+json` is asked for with a higher weight than `application/json`. */
export function prefersProblemJson(accept: string | undefined): boolean {
  if (accept === undefined || !/problem\+json/i.test(accept)) return false;
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
  });
  const weightOf = (...types: string[]) => {
    for (const type of types) {
      const range = ranges.find((candidate) => candidate.type === type);
      if (range !== undefined) return range.weight;
    }
    return 0;
  };
  const problem = weightOf('application/problem+json');
  // Named together at one weight, the more specific form of an error is what was asked for.
  return problem > 0 && problem >= weightOf('application/json', 'application/*', '*/*');
}
