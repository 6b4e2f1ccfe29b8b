import type { FastifyRequest } from 'fastify';

/** A header that was sent several times, as one. */
export function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
