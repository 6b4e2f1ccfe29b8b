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

/**
 * What counts as one caller where nobody has said who they are: an IPv4 address, or the /64 of an IPv6 address,
 * of which a single machine has 2^64 to choose from.
 */
export function placeOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().replace(/%.*$/, '').split('::');
  const before = head === '' ? [] : head.split(':');
  // A dotted end stands for two groups.
  const after = (tail ?? '').split(':').flatMap((group) => (group.includes('.') ? ['', group] : [group]));
  const missing = tail === undefined ? 0 : 8 - before.length - (tail === '' ? 0 : after.length);
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Without the port, the brackets and the zone that some proxies write; `undefined` for what is no address. */
function bareAddress(entry: string): string | undefined {
  const text = entry.trim();
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1];
  const address = (bracketed ?? text.replace(/^([0-9.]+):\d+$/, '$1')).replace(/%[^%]*$/, '');
  return isIP(address) === 0 ? undefined : address;
}
