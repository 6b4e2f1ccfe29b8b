import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'] as const;

/**
 * Reads libpq's TLS parameters off a connection URL. The driver knows `sslmode` but would send the certificate
 * files to the server as settings, so `verify-full` with a private authority needs this.
 */
export function separateTls(text: string): { url: string; ssl: ConnectionOptions | boolean | undefined } {
  const url = new URL(text);
  const mode = url.searchParams.get('sslmode');
  const [ca, cert, key] = fileParameters.map((name) => {
    const path = url.searchParams.get(name);
    url.searchParams.delete(name);
    return path === null ? undefined : readFileSync(path);
  });
  if (mode === null || mode === 'prefer' || mode === 'allow') return { url: url.href, ssl: undefined };
  url.searchParams.delete('sslmode');
  if (mode === 'disable') return { url: url.href, ssl: false };
  return {
    url: url.href,
    ssl: {
      // As in libpq: `require` encrypts, and checks the certificate only when an authority is named.
      rejectUnauthorized: mode !== 'require' || ca !== undefined,
      ...(mode === 'verify-full' ? { servername: url.hostname } : { checkServerIdentity: () => undefined }),
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
    },
  };
}
