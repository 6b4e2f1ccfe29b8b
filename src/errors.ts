/**
 * What can go wrong, in product terms. Knows no HTTP: `http/errors.ts` maps a code to its status, and
 * `docs/errors.md` explains each one to callers (a test compares the three).
 */
export const errorCodes = [
  'bad_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'conflict',
  'too_large',
  'unsupported_media_type',
  'expectation_failed',
  'rate_limited',
  'headers_too_large',
  'internal',
  'not_implemented',
  'unavailable',
  'timed_out',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** One thing that is wrong: `context` is the operation or the member, `message` says it in plain words. */
export interface Problem {
  readonly context: string;
  readonly message: string;
}

interface Details {
  /** The operation or member it is about; the HTTP layer fills in the operation when it is left out. */
  readonly context?: string;
  readonly problems?: readonly Problem[];
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members beside those that every error has, where the operation declares them (`errorExtra`). */
  readonly extra?: Readonly<Record<string, string>>;
  /** The refusal has an audit record of its own already. */
  readonly isRecorded?: boolean;
  /** For the log only; never shown to a caller. */
  readonly cause?: unknown;
}

/** The message is public: product words, with the identifier that the caller sent. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly problems: readonly Problem[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, string>>;
  readonly isRecorded: boolean;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AppError';
    this.code = code;
    this.problems = details.problems ?? [{ context: details.context ?? '', message }];
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.headers = details.headers ?? {};
    this.extra = details.extra ?? {};
    this.isRecorded = details.isRecorded ?? false;
  }
}
