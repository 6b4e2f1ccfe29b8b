import type { FastifyRequest } from 'fastify';

/**
 * Where a request comes from. Behind N trusted proxies (parameter `http.trusted_proxies`) that is the Nth
 * address from the right of X-Forwarded-For; without any, the header is not believed.
 */
export async function clientAddress(
  request: FastifyRequest,
  policy: { trustedProxies(): Promise<number> },
): Promise<string> {
  const peer = request.socket.remoteAddress ?? '';
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined) return peer;
  const proxies = await policy.trustedProxies();
  if (proxies === 0) return peer;
  const addresses = String(forwarded)
    .split(',')
    .map((address) => address.trim())
    .filter((address) => /^[0-9a-fA-F.:[\]]{2,64}$/.test(address));
  return addresses.at(-proxies) ?? addresses[0] ?? peer;
}
