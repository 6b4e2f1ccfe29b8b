import type { FastifyRequest } from 'fastify';
import { actorOf, type Origin } from '../caller.ts';
import type { AppError } from '../errors.ts';
import { pathOf } from './methods.ts';

const maxPathLength = 500;

/** A change that a known caller asked for and may not make. */
export interface RefusedWrite {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly reason: string;
  readonly origin: Origin;
}

export function refusedWriteOf(error: AppError, request: FastifyRequest): RefusedWrite | undefined {
  const operation = request.routeOptions?.config?.operation;
  const { caller, body, address } = request.kennel ?? {};
  if (error.code !== 'forbidden' || error.isRecorded || operation === undefined || operation.method === 'GET')
    return undefined;
  // Whoever's signature is not checked yet, because the body is part of it, may be anybody.
  if (caller === undefined || body !== undefined) return undefined;
  return {
    operation: operation.id,
    method: operation.method,
    path: pathOf(request.url).slice(0, maxPathLength),
    reason: error.message,
    origin: { actor: actorOf(caller), requestId: request.id, address: address ?? '' },
  };
}
