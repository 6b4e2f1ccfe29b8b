import { createHmac } from 'node:crypto';

export interface SigningToken {
  readonly id: string;
  readonly key: string;
}

/** Signs as a client does; written apart from the code that checks it. */
export function signature(
  key: string,
  method: string,
  target: string,
  date: string,
  body: string | Uint8Array = '',
): string {
  const operationKey = createHmac('sha256', key).update(`${method}${target}`).digest();
  const dateKey = createHmac('sha256', operationKey).update(date.slice(0, 13)).digest();
  return createHmac('sha256', dateKey).update(body).digest('base64');
}

export function signedHeaders(
  token: SigningToken,
  method: string,
  target: string,
  body: string | Uint8Array = '',
  date = new Date().toISOString(),
): Record<string, string> {
  return {
    authorization: `bhesignature ${token.id}`,
    requestdate: date,
    signature: signature(token.key, method, target, date, body),
  };
}
