import { checkAgainstDocument } from './conformance.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; tests read its members freely. */
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what a test asserts
  readonly body: any;
}

export interface CallOptions {
  readonly token?: string | undefined;
  /** Sent as JSON, or as it is when it is a string or bytes. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The request is signed by a collector, which gets flat shapes (gap 1.8). */
  readonly asSigningCollector?: boolean;
}

/** Sends a request to any server and checks the answer against the committed API document. */
export async function call(
  url: string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const { token, body, headers = {} } = options;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
  const answer = {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
  checkAgainstDocument(method, path, answer, { toSigningCollector: options.asSigningCollector === true });
  return answer;
}
