import { AppError } from '../../errors.ts';
import type { Form } from '../../http/form.ts';
import { quoted } from '../../http/parameters.ts';
import { cleanText } from '../../values/text.ts';

/** The id and the key of a collector's token, however they were sent. */
export interface Credentials {
  readonly id: string;
  readonly key: string;
}

/** What RFC 6749 calls the things that can be wrong (its section 5.2). */
export type OAuthProblem =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type';

export function oauthError(error: OAuthProblem, message: string, context: string): AppError {
  return error === 'invalid_client'
    ? new AppError('unauthenticated', message, {
        context,
        headers: { 'www-authenticate': 'Basic realm="collectors", charset="UTF-8"' },
        extra: { error },
      })
    : new AppError('bad_request', message, { context, extra: { error } });
}

export const grantType = 'client_credentials';

/** Reads a request for a token: in the form, or the credentials as HTTP Basic. */
export function readCredentials(form: Form, authorization: string | undefined): Credentials {
  const asked = form.text('grant_type') ?? '';
  if (asked !== grantType) {
    throw oauthError(
      'unsupported_grant_type',
      `grant_type must be ${grantType}, but is ${quoted(asked)}`,
      'grant_type',
    );
  }
  const [id, key] = [form.text('client_id'), form.text('client_secret')];
  if (authorization !== undefined) {
    const basic = readBasic(authorization);
    if (key !== undefined || (id !== undefined && id !== basic.id)) {
      throw oauthError(
        'invalid_request',
        'give the credentials once: as HTTP Basic, or as client_id and client_secret in the form',
        'Authorization',
      );
    }
    return basic;
  }
  if (id === undefined || key === undefined) {
    throw oauthError(
      'invalid_request',
      'client_id and client_secret are required, in the form or as HTTP Basic',
      id === undefined ? 'client_id' : 'client_secret',
    );
  }
  // No key has a blank; it was a plus that the sender did not encode.
  return { id, key: key.replaceAll(' ', '+') };
}

function readBasic(header: string): Credentials {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) {
    throw oauthError(
      'invalid_client',
      'the Authorization header must have the form: Basic <base64 of id:key>',
      'Authorization',
    );
  }
  return { id: formDecoded(text.slice(0, colon)), key: formDecoded(text.slice(colon + 1)) };
}

/**
 * RFC 6749 has both parts form-encoded first, which many clients leave out. Neither holds a percent sign or a
 * blank by itself, so both ways can be read.
 */
function formDecoded(text: string): string {
  try {
    return cleanText(decodeURIComponent(text));
  } catch {
    return cleanText(text);
  }
}
