import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../log.ts';
import { pathOf } from './methods.ts';
import type { HttpMetrics } from './metrics.ts';

/** Told by no one: the caller went away before the answer. The number is the one that other servers log. */
const callerWentAway = 499;

/** One line and one measurement per request. Nothing that a caller may have meant to be secret is in them. */
export function recordRequest(
  { log, metrics }: { log: Logger; metrics: HttpMetrics | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
  ms: number,
): void {
  const { config, url } = request.routeOptions;
  const route = config?.operation?.url ?? url ?? '(none)';
  const status = reply.raw.writableFinished ? reply.statusCode : callerWentAway;
  metrics?.observe(request.method, route, status, ms);
  log.info(
    {
      request_id: request.id,
      trace_id: traceId(request.headers.traceparent),
      method: request.method,
      path: pathOf(request.url),
      status,
      ms: Math.round(ms * 10) / 10,
      address: request.kennel?.address ?? request.ip,
      caller: request.kennel?.caller?.id,
    },
    'request',
  );
}

/** The trace id of a W3C `traceparent` header. */
function traceId(header: string | string[] | undefined): string | undefined {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(String(header))?.[1];
}
