import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify';
import type { Caller } from '../caller.ts';
import type { Settings } from '../config.ts';
import type { Db } from '../db/client.ts';
import type { Deadline } from '../deadline.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { checkEdition, checkPermission, needsCaller } from './access.ts';
import { recordRequest } from './access-log.ts';
import { clientAddress, peerOf } from './address.ts';
import { readRawBody } from './body.ts';
import { answerBrokenRequest, answerTunnels } from './broken-request.ts';
import { Connections } from './connections.ts';
import { asAppError, errorAnswer } from './errors.ts';
import { headerText } from './header-text.ts';
import { pathOf } from './methods.ts';
import type { HttpMetrics } from './metrics.ts';
import { addVary } from './negotiation.ts';
import { nodeOptions } from './node-options.ts';
import type { AnyOperation, Standing } from './operation.ts';
import { type Preference, readPrefer } from './prefer.ts';
import { RateLimit } from './rate-limit.ts';
import { type RefusedWrite, refusedWriteOf } from './refused-write.ts';
import { checkHead } from './request-head.ts';
import { boundRest, tellToClose } from './rest-of-body.ts';
import { securityHeaders } from './security-headers.ts';

/** What is known of a request so far; each check adds its part. */
export interface RequestState {
  preference: Preference | undefined;
  address: string;
  caller: Caller | undefined;
  /** Of a signed request whose body is still to come. */
  body: BodyCheck | undefined;
  recheck: (() => Promise<void>) | undefined;
  standing: Standing;
}

declare module 'fastify' {
  interface FastifyRequest {
    kennel: RequestState | undefined;
    rawBody: Buffer | undefined;
  }
  interface FastifyContextConfig {
    operation?: AnyOperation;
    /** The route only says 405. */
    refusal?: boolean;
  }
}

/** Takes the body of a signed request, which is part of what was signed. */
export interface BodyCheck {
  update(chunk: Uint8Array): void;
  /** Throws `unauthenticated` unless the signature covers exactly the bytes so far. */
  finish(): Promise<void>;
}

/** Who sent a request. */
export interface Authenticated {
  readonly caller: Caller;
  readonly standing: Standing;
  /** The caller is believed only if the body is in order too. */
  readonly body?: BodyCheck;
  /** For a body that took long to arrive: throws if the credentials have ended meanwhile. */
  readonly recheck?: () => Promise<void>;
}

/** What the pipeline asks of the features above it. */
export interface Policy {
  /** Who sent this request; throws `unauthenticated`. */
  authenticate(request: FastifyRequest, address: string): Promise<Authenticated>;
  timeoutBypassAllowed(): Promise<boolean>;
  trustedProxies(): Promise<number>;
  /** Never throws: the caller is refused whether or not that could be written down. */
  noteRefusedWrite(write: RefusedWrite): Promise<void>;
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
  /** Operations that are being run; a shutdown ends the ones that take too long. */
  readonly underWay: Set<Deadline>;
  readonly connections: Connections;
  /** Requests are still served, but everybody is told to go elsewhere. */
  shuttingDown: boolean;
  /** Nothing new is begun. */
  isClosing: boolean;
}

const maxPathParameterLength = 2048;

export function createServer(context: HttpContext): HttpServer {
  const { settings, log, clock } = context;
  const limit = new RateLimit(settings.rateLimit);
  const safetyHeaders = securityHeaders(settings);
  const answers = new WeakMap<Socket, ServerResponse>();
  const broken = { now: clock, headers: safetyHeaders, answers };
  const app = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: maxPathParameterLength },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) =>
      answerBrokenRequest(error, socket, broken),
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      // The router refused the path, and no hook runs for it.
      begin(request, reply);
      if (server.shuttingDown) reply.header('connection', 'close');
      return sendError(error, request, reply);
    },
    ...nodeOptions(settings),
  } as object) as unknown as FastifyInstance;
  const server: HttpServer = {
    app,
    operations: [],
    underWay: new Set(),
    connections: new Connections(app.server),
    shuttingDown: false,
    isClosing: false,
  };

  app.decorateRequest('kennel', undefined);
  app.decorateRequest('rawBody', undefined);
  // Validation and serialisation are done by the operation itself (`run-operation.ts`), once.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: FastifyRequest['raw']) => {
    if (request.routeOptions.config.operation?.streamsBody === true) return;
    // That of a signed request has been read already.
    request.rawBody ??= await readRawBody(payload);
  });

  // The hook below refuses what Node would refuse here with an empty answer.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  answerTunnels(app.server, broken);

  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    const begunAt = performance.now();
    answers.set(request.raw.socket, reply.raw);
    boundRest(request.raw, reply.raw);
    reply.headers(safetyHeaders);
    reply.header('x-request-id', request.id);
    reply.header('requestid', request.id);
    const isAnswered = server.connections.beginRequest(request.raw.socket);
    reply.raw.once('close', () => {
      isAnswered();
      recordRequest(context, request, reply, performance.now() - begunAt);
    });
  };
  app.addHook('onRoute', refuseStrayRoute);
  app.addHook('onRequest', async (request, reply) => {
    begin(request, reply);
    checkHead(request);
    const { operation } = request.routeOptions.config;
    const address =
      operation?.probe === true ? peerOf(request) : await clientAddress(request, context.policy);
    // What belongs to no operation costs its sender as much as a public one.
    if (operation === undefined) reply.headers(limit.take(`address:${address}`, clock()));
    // gap 1.3: here and not in the handler, which comes after the body.
    if (request.is404) throw nothingThere(request);
    if (operation === undefined) return;
    if (server.isClosing && operation.probe !== true) throw shuttingDownError();

    // gap 1.3: the order of these checks is part of the contract.
    const state: RequestState = {
      preference: undefined,
      address,
      caller: undefined,
      body: undefined,
      recheck: undefined,
      standing: 'unproven',
    };
    request.kennel = state;
    state.preference = await readPrefer(
      headerText(request, 'prefer'),
      settings.maxWaitSeconds,
      async () => operation.probe !== true && (await context.policy.timeoutBypassAllowed()),
    );
    if (state.preference.applied !== undefined) {
      reply.header('preference-applied', state.preference.applied);
      addVary(reply, 'prefer');
    }
    if (needsCaller(operation, request)) {
      const attempt = {
        address,
        credentials: request.headers.authorization,
        mayBe429: operation.rateLimited !== false,
      };
      await limit.proving(attempt, clock(), () => identify(context.policy, request, operation, state));
    }
    checkEdition(operation, settings.edition);
    checkPermission(operation, state.caller);
    if (operation.rateLimited !== false) reply.headers(limit.take(payerOf(state), clock()));
    // Fastify would refuse a malformed Content-Type even where no body is defined (gap 1.10).
    if (request.mediaType === undefined) delete request.raw.headers['content-type'];
  });

  const sendError = async (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
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
    const refused = refusedWriteOf(known, request);
    if (refused !== undefined) await context.policy.noteRefusedWrite(refused);
    const operation = request.routeOptions?.config?.operation;
    const answer = errorAnswer(known, {
      id: request.id,
      operation: operation?.id ?? 'route',
      extra: operation?.errorExtra?.[known.code],
      accept: headerText(request, 'accept'),
      now: clock(),
    });
    return reply.headers(answer.headers).status(answer.status).send(Buffer.from(answer.body));
  };
  tellToClose(app, () => server.shuttingDown);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request) => {
    throw nothingThere(request);
  });
  return server;
}

/** Finds out who is calling; throws `unauthenticated`. */
async function identify(
  policy: Policy,
  request: FastifyRequest,
  operation: AnyOperation,
  state: RequestState,
): Promise<void> {
  const { caller, body, recheck, standing } = await policy.authenticate(request, state.address);
  if (operation.streamsBody === true) {
    state.body = body;
    state.recheck = recheck;
    state.standing = standing;
  } else if (body !== undefined) {
    request.rawBody = await readRawBody(request.raw);
    body.update(request.rawBody);
    await body.finish();
  }
  state.caller = caller;
}

/** Nothing under /api/v2 may escape the checks that an operation goes through. */
function refuseStrayRoute({ url, method, config }: RouteOptions): void {
  if (!/^\/api\/v2(\/|$)/.test(url) || config?.operation !== undefined || config?.refusal === true) return;
  throw new Error(`${String(method)} ${url} belongs to no operation`);
}

function nothingThere(request: FastifyRequest): AppError {
  const message = `${pathOf(request.url)} is no path of this server: nothing was looked up`;
  return new AppError('not_found', message, { context: 'path' });
}

/** Whose requests are counted. */
function payerOf({ caller, address }: RequestState): string {
  return caller === undefined ? `address:${address}` : `${caller.kind}:${caller.id}`;
}

export function shuttingDownError(): AppError {
  return new AppError('unavailable', 'the server is shutting down', { retryAfterSeconds: 5 });
}

/** What Node's own server is told. */
