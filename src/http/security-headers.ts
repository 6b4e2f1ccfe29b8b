import type { Settings } from '../config.ts';

/** Every answer has these, those to what is not even a request included. */
export function securityHeaders(
  settings: Pick<Settings, 'tls' | 'publicUrl'>,
): Readonly<Record<string, string>> {
  const encrypted = settings.tls !== undefined || settings.publicUrl?.startsWith('https:') === true;
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(encrypted ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}
