import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'] as const;

/**
 * Reads libpq's TLS parameters off a connection URL. The driver knows `sslmode` but would send the certificate
 * files to the server as settings, so `verify-full` with a private authority needs this. The URL may name
 * several hosts, so it is taken apart as text.
 */
export function separateTls(text: string): { url: string; ssl: ConnectionOptions | boolean | undefined } {
  const [address = '', query = ''] = text.split('?', 2);
  const parameters = new URLSearchParams(query);
  const mode = parameters.get('sslmode');
  const [ca, cert, key] = fileParameters.map((name) => {
    const path = parameters.get(name);
    parameters.delete(name);
    return path === null ? undefined : { path, content: path === 'system' ? undefined : readFileSync(path) };
  });
  const url = () => (parameters.size === 0 ? address : `${address}?${parameters}`);
  if (mode === null || mode === 'prefer' || mode === 'allow') return { url: url(), ssl: undefined };
  parameters.delete('sslmode');
  if (mode === 'disable') return { url: url(), ssl: false };
  return {
    url: url(),
    ssl: {
      // As in libpq: `require` encrypts, and checks the certificate only when an authority is named.
      rejectUnauthorized: mode !== 'require' || ca !== undefined,
      ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
      ...(ca?.content && { ca: ca.content }),
      ...(cert?.content && { cert: cert.content }),
      ...(key?.content && { key: key.content }),
    },
  };
}
