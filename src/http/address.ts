import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Where a request comes from. Behind N trusted proxies (parameter `http.trusted_proxies`) that is the Nth
 * address from the right of X-Forwarded-For: what stands further left, the caller may have made up. Without any
 * trusted proxy, the header is not believed.
 */
export async function clientAddress(
  request: FastifyRequest,
  policy: { trustedProxies(): Promise<number> },
): Promise<string> {
  const peer = peerOf(request);
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined) return peer;
  const proxies = await policy.trustedProxies();
  if (proxies === 0) return peer;
  const entries = String(forwarded).split(',');
  return bareAddress(entries.at(-proxies) ?? entries[0] ?? '') ?? peer;
}

/** The other end of the connection, be it a proxy or not. */
export function peerOf(request: FastifyRequest): string {
  return request.socket.remoteAddress ?? '';
}

/** Without the port, the brackets and the zone that some proxies write; `undefined` for what is no address. */
function bareAddress(entry: string): string | undefined {
  const text = entry.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  const address = (bracketed ?? text.replace(/^([0-9.]+):\d+$/, '$1')).replace(/%[^%]*$/, '');
  return isIP(address) === 0 ? undefined : address;
}
