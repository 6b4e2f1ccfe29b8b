import type { FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import type { Settings } from '../config.ts';
import { AppError } from '../errors.ts';
import type { AnyOperation } from './operation.ts';

export function needsCaller({ access }: AnyOperation, request: FastifyRequest): boolean {
  return access === 'optional' ? request.headers.authorization !== undefined : access !== 'public';
}

export function checkEdition(operation: AnyOperation, edition: Settings['edition']): void {
  if (operation.edition === 'enterprise' && edition !== 'enterprise') {
    throw new AppError('not_found', 'this operation is available in the enterprise edition only');
  }
}

export function checkPermission(operation: AnyOperation, caller: Caller | undefined): void {
  if (caller === undefined || operation.access === 'self') return;
  if (caller.kind === 'user' && caller.mustChangeSecret) {
    if (operation.access === 'optional') return;
    throw new AppError('forbidden', 'your password has expired: change it before anything else');
  }
  if (typeof operation.access !== 'object') return;
  const { permission, ofPeople } = operation.access;
  const needed = [permission, ...(caller.kind === 'user' && ofPeople !== undefined ? [ofPeople] : [])];
  const missing = needed.find((permission) => !caller.permissions.has(permission));
  if (missing !== undefined) throw new AppError('forbidden', `this needs the permission ${missing}`);
}
