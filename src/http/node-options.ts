import { readFileSync } from 'node:fs';
import type { Settings } from '../config.ts';
import { maxHeaderBytes } from './broken-request.ts';

/** With forward secrecy and authenticated encryption only, in TLS 1.2 too. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':');

/** What Node's own server is made with. */
export function nodeOptions({ tls }: Settings): object {
  const http = { maxHeaderSize: maxHeaderBytes, headersTimeout: 30_000, requireHostHeader: false };
  if (tls === undefined) return { http };
  const { certFile, keyFile } = tls;
  return {
    https: {
      ...http,
      cert: readFileSync(certFile),
      key: readFileSync(keyFile),
      minVersion: 'TLSv1.2',
      ciphers,
    },
  };
}
