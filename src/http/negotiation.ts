import type { FastifyReply } from 'fastify';

/** Whether an Accept header names `mediaType` and gives it more weight than JSON. */
export function acceptsRather(header: string | undefined, mediaType: string): boolean {
  if (header === undefined) return false;
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(range, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  const wanted = weights.get(mediaType) ?? 0;
  return wanted > 0 && wanted >= (weights.get('application/json') ?? 0);
}

export function addVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? name : `${String(before)}, ${name}`);
}

/** Weak comparison, as RFC 9110 asks for `If-None-Match`. */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.slice(2);
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque);
}

export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  let wildcard = false;
  for (const part of String(header).toLowerCase().split(',')) {
    const [coding, ...parameters] = part.split(';').map((piece) => piece.trim());
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return !refused;
    if (coding === '*') wildcard = !refused;
  }
  return wildcard;
}
