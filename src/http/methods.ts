import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import type { AnyOperation } from './operation.ts';

/** Every path of the API answers 405 with `Allow` for the methods it does not take. */
export function refuseOtherMethods(app: FastifyInstance, operations: readonly AnyOperation[]): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  const taken = new Map<string, Set<string>>();
  for (const operation of operations) {
    const url = routeUrl(operation.url);
    const methods = taken.get(url) ?? new Set<string>();
    methods.add(operation.method);
    if (operation.method === 'GET') methods.add('HEAD');
    taken.set(url, methods);
  }
  for (const [url, methods] of taken) {
    const allow = [...methods].sort().join(', ');
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url,
      config: { refusal: true },
      // Before the body is read: what is wrong with that does not matter here (gap 1.3).
      onRequest: async (request) => {
        throw new AppError(
          'method_not_allowed',
          `${pathOf(request.url)} takes ${allow}, not ${request.method}`,
          {
            context: 'method',
            headers: { allow },
          },
        );
      },
      handler: () => {},
    });
  }
}

/** From the OpenAPI form of a path to the router's. */
export function routeUrl(url: string): string {
  return url.replace(/\{(\w+)\}/g, ':$1');
}

/**
 * The path of a request for a message or the log: without what may hold a secret (query, fragment, the name and
 * password of an absolute URL), and never the whole of a very long one.
 */
export function pathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
