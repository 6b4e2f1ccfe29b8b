import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import type { Settings } from '../config.ts';
import type { Db } from '../db/client.ts';
import type { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { clientAddress } from './address.ts';
import { addVary } from './answer.ts';
import { readRawBody } from './body.ts';
import { answerBrokenRequest, maxHeaderBytes } from './broken-request.ts';
import { asAppError, errorAnswer } from './errors.ts';
import { pathOf } from './methods.ts';
import type { HttpMetrics } from './metrics.ts';
import type { AnyOperation } from './operation.ts';
import { type Preference, readPrefer } from './prefer.ts';
import { RateLimit } from './rate-limit.ts';

/** What a request carries from the first check to the handler. */
export interface RequestState {
  readonly address: string;
  readonly preference: Preference;
  readonly caller: Caller | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for operations once every check that needs no body has passed. */
    kennel: RequestState | undefined;
    rawBody: Buffer | undefined;
  }
  interface FastifyContextConfig {
    operation?: AnyOperation;
  }
}

/** What the pipeline asks of the features above it. */
export interface Policy {
  /** Who sent this request; throws `unauthenticated`. */
  authenticate(request: FastifyRequest): Promise<Caller>;
  timeoutBypassAllowed(): Promise<boolean>;
  trustedProxies(): Promise<number>;
}

export interface HttpContext {
  readonly settings: Settings;
  readonly db: Db;
  readonly graph: Db;
  readonly clock: () => number;
  readonly log: Logger;
  readonly policy: Policy;
  readonly metrics: HttpMetrics | undefined;
}

export interface HttpServer {
  readonly app: FastifyInstance;
  readonly operations: AnyOperation[];
  /** Requests that are being answered; a shutdown ends the ones that take too long. */
  readonly underWay: Set<Deadline>;
  shuttingDown: boolean;
}

const maxPathParameterLength = 2048;

export function createServer(context: HttpContext): HttpServer {
  const { settings, log, clock } = context;
  const limit = new RateLimit(settings.rateLimit);
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: maxPathParameterLength },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      answerBrokenRequest(error, socket, clock()),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
      sendError(error, request, reply),
    ...tlsOptions(settings),
    http: { maxHeaderSize: maxHeaderBytes, headersTimeout: 30_000, requestTimeout: 0 },
  } as object) as unknown as FastifyInstance;
  const server: HttpServer = { app, operations: [], underWay: new Set(), shuttingDown: false };

  app.decorateRequest('kennel', undefined);
  app.decorateRequest('rawBody', undefined);
  // Validation and serialisation are done by the operation itself (`run-operation.ts`), once.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: FastifyRequest['raw']) => {
    request.rawBody = await readRawBody(payload);
  });

  const safetyHeaders = securityHeaders(settings);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(safetyHeaders);
    reply.header('x-request-id', request.id);
    reply.header('requestid', request.id);
    const { operation } = request.routeOptions.config;
    if (operation === undefined) return;
    if (server.shuttingDown && !operation.url.startsWith('/health/')) throw shuttingDownError();

    // gap 1.3: the order of these checks is part of the contract.
    const preference = await readPrefer(headerText(request, 'prefer'), settings.maxWaitSeconds, () =>
      context.policy.timeoutBypassAllowed(),
    );
    if (preference.applied !== undefined) {
      reply.header('preference-applied', preference.applied);
      addVary(reply, 'prefer');
    }
    const address = await clientAddress(request, context.policy);
    const caller = operation.access === 'public' ? undefined : await context.policy.authenticate(request);
    checkEdition(operation, settings.edition);
    checkPermission(operation, caller);
    if (operation.rateLimited !== false) {
      reply.headers(
        limit.take(caller === undefined ? `address:${address}` : `${caller.kind}:${caller.id}`, clock()),
      );
    }
    request.kennel = { address, preference, caller };
  });

  app.addHook('onResponse', (request, reply, done) => {
    const route =
      request.routeOptions.config.operation?.url ??
      (request.is404 ? '(none)' : (request.routeOptions.url ?? ''));
    context.metrics?.observe(request.method, route, reply.statusCode, reply.elapsedTime);
    log.info(
      {
        request_id: request.id,
        trace_id: traceId(headerText(request, 'traceparent')),
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        address: request.kennel?.address ?? request.ip,
        caller: request.kennel?.caller?.id,
      },
      'request',
    );
    done();
  });

  const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = asAppError(error);
    if (known.code === 'internal' || known.code === 'unavailable') {
      log[known.code === 'internal' ? 'error' : 'warn'](
        {
          err: known.cause ?? known,
          request_id: request.id,
          operation: request.routeOptions?.config?.operation?.id,
        },
        known.code === 'internal' ? 'a request failed: this is a defect' : known.message,
      );
    }
    const answer = errorAnswer(known, {
      id: request.id,
      operation: request.routeOptions?.config?.operation?.id ?? 'route',
      accept: headerText(request, 'accept'),
      now: clock(),
    });
    if (server.shuttingDown) reply.header('connection', 'close');
    return reply.headers(answer.headers).status(answer.status).send(answer.body);
  };
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request) => {
    throw new AppError('not_found', `there is nothing at ${pathOf(request.url)}`, { context: 'path' });
  });
  return server;
}

function checkEdition(operation: AnyOperation, edition: Settings['edition']): void {
  if (operation.edition === 'enterprise' && edition !== 'enterprise') {
    throw new AppError('not_found', 'this operation is available in the enterprise edition only');
  }
}

function checkPermission(operation: AnyOperation, caller: Caller | undefined): void {
  if (caller === undefined || operation.access === 'own-session') return;
  if (caller.kind === 'user' && caller.mustChangeSecret) {
    throw new AppError('forbidden', 'your password has expired: change it before anything else');
  }
  if (typeof operation.access !== 'object') return;
  if (!caller.permissions.has(operation.access.permission)) {
    throw new AppError('forbidden', `this needs the permission ${operation.access.permission}`);
  }
}

export function shuttingDownError(): AppError {
  return new AppError('unavailable', 'the server is shutting down', { retryAfterSeconds: 5 });
}

function tlsOptions(settings: Settings): object {
  if (settings.tls === undefined) return {};
  const { certFile, keyFile } = settings.tls;
  return {
    https: {
      cert: readFileSync(certFile),
      key: readFileSync(keyFile),
      minVersion: 'TLSv1.2',
      maxHeaderSize: maxHeaderBytes,
    },
  };
}

function securityHeaders(settings: Settings): Record<string, string> {
  const encrypted = settings.tls !== undefined || settings.publicUrl?.startsWith('https:') === true;
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(encrypted ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The trace id of a W3C `traceparent` header. */
function traceId(header: string | undefined): string | undefined {
  return header === undefined
    ? undefined
    : /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(header)?.[1];
}
