import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TObject, type TSchema } from 'typebox';
import { actorOf, type Caller, type Origin } from '../caller.ts';
import type { Db } from '../db/client.ts';
import { Deadline } from '../deadline.ts';
import { AppError, type Problem } from '../errors.ts';
import { sendDocument, sendJson } from './answer.ts';
import { decodeJsonBody } from './body.ts';
import { type Form, readForm, readUrlencodedForm } from './form.ts';
import { type ListRequest, readListRequest } from './list.ts';
import { routeUrl } from './methods.ts';
import { acceptsRather, addVary } from './negotiation.ts';
import {
  type AnyOperation,
  type Call,
  Document,
  LiveAnswer,
  NoContent,
  type Operation,
  type Upload,
} from './operation.ts';
import type { PaceSettings } from './pace.ts';
import { type RawParameters, readParameters } from './parameters.ts';
import { ReadyJson } from './ready-json.ts';
import type { HttpContext, HttpServer } from './server.ts';
import { uploadOf } from './upload.ts';
import { bodyValidator } from './validation.ts';

const nothing = Type.Object({});

/** gap 1.13: as RFC 9745 writes a date; 15 November 2026. */
const deprecatedSince = '@1794700800';

/** Makes an operation a route: reads and checks its input, runs it within its deadline, sends its answer. */
export function registerOperation<P extends TObject, Q extends TObject, B extends TSchema, A extends TSchema>(
  server: HttpServer,
  context: HttpContext,
  declared: Operation<P, Q, B, A>,
): void {
  const operation = declared as unknown as AnyOperation;
  const read = inputReader(operation, context);
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const preference = request.kennel?.preference;
    if (preference === undefined) throw new Error('the request was not checked');
    const input = await read(request);
    // gap 1.5: the wait counts from the end of the request body.
    const deadline = new Deadline(preference.waitSeconds);
    server.underWay.add(deadline);
    try {
      const call = new RequestCall(request, context, deadline, input);
      const outcome = await operation.handle(call);
      const value = outcome instanceof LiveAnswer ? outcome.value : outcome;
      reply.status(operation.status ?? 200);
      if (operation.deprecated === true) reply.header('deprecation', deprecatedSince);
      if (value instanceof NoContent) return await reply.status(204).send();
      if (value === undefined) return await reply.header('content-length', 0).send();
      if (operation.documents !== undefined) addVary(reply, 'accept');
      if (value instanceof ReadyJson) return await value.send(request, reply);
      if (value instanceof Document) return await sendDocument(request, reply, value);
      return await sendJson(request, reply, value, {
        validator: operation.method === 'GET' && !isVolatile(operation, input.query),
        secret: operation.secret === true,
      });
    } finally {
      server.underWay.delete(deadline);
    }
  };
  addRoute(server.app, operation, handler);
  server.operations.push(operation);
}

interface Input {
  readonly path: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly list?: ListRequest;
  readonly form?: Form;
}

/** gap 1.2: path, query and body are all checked before a bad request is answered. */
function inputReader(
  operation: AnyOperation,
  context: HttpContext,
): (request: FastifyRequest) => Input | Promise<Input> {
  const path = operation.path ?? nothing;
  const query = operation.query ?? nothing;
  const validateBody = operation.body === undefined ? undefined : bodyValidator(operation.body);
  const refuseUnknown = operation.method === 'DELETE';
  const queryNames = new Set(Object.keys(query.properties));
  return (request) => {
    const problems: Problem[] = [];
    const pathInput = readParameters(path, request.params as RawParameters, problems);
    const queryProblems: Problem[] = [];
    const queryInput = readParameters(query, request.query as RawParameters, queryProblems, {
      refuseUnknown,
    });
    const invalid = new Set(queryProblems.map(({ context }) => context));
    problems.push(...queryProblems, ...(operation.checkQuery?.(queryInput, invalid) ?? []));
    const list =
      operation.list && readListRequest(operation.list, request.query as RawParameters, queryNames, problems);
    const body = validateBody && readBody(request, operation, validateBody, problems, context);
    const input = { path: pathInput, query: queryInput, body, ...(list === undefined ? {} : { list }) };
    const raw = request.rawBody ?? Buffer.alloc(0);
    if (operation.urlencodedForm !== undefined) {
      const contentType = request.headers['content-type'];
      const form = readUrlencodedForm(operation.urlencodedForm, raw, contentType, problems);
      return checked({ ...input, form }, problems);
    }
    if (operation.form === undefined) return checked(input, problems);
    return readForm(operation.form, raw, request.headers['content-type'], problems).then((form) =>
      checked({ ...input, form }, problems),
    );
  };
}

function checked(input: Input, problems: readonly Problem[]): Input {
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
  return input;
}

function readBody(
  request: FastifyRequest,
  operation: AnyOperation,
  validate: (value: unknown) => Problem[],
  problems: Problem[],
  context: HttpContext,
): unknown {
  const raw = request.rawBody;
  if (raw === undefined || raw.length === 0) {
    if (operation.bodyOptional !== true)
      problems.push({ context: 'body', message: 'a JSON body is required' });
    return undefined;
  }
  try {
    const { value: sent, replaced } = decodeJsonBody(raw, request.headers);
    const value = operation.bodyAnyCase ? inDeclaredCase(sent, operation.body, problems) : sent;
    if (replaced > 0)
      context.log.warn({ request_id: request.id, replaced }, 'replaced characters that cannot be stored');
    problems.push(...validate(value));
    return value;
  } catch (error) {
    // Malformed JSON is one more problem; a wrong media type or size is an answer of its own.
    if (!(error instanceof AppError) || error.code !== 'bad_request') throw error;
    problems.push(...error.problems);
    return undefined;
  }
}

/** Gives the members of a body the spelling of its schema. */
function inDeclaredCase(value: unknown, schema: TSchema | undefined, problems: Problem[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, unknown> };
  const declared = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  const result: Record<string, unknown> = {};
  for (const [given, content] of Object.entries(value)) {
    const name = declared.get(given.toLowerCase()) ?? given;
    if (Object.hasOwn(result, name))
      problems.push({ context: name, message: `${name} is given twice, in different cases` });
    Object.defineProperty(result, name, {
      value: content,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

/** What a handler sees of its request. A class, because one is made for every request. */
class RequestCall implements Call<Record<string, unknown>, Record<string, unknown>, unknown> {
  readonly path: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly db: Db;
  readonly graph: Db;
  readonly #request: FastifyRequest;
  readonly #input: Input;
  readonly #pace: PaceSettings;

  constructor(request: FastifyRequest, context: HttpContext, deadline: Deadline, input: Input) {
    this.path = input.path;
    this.query = input.query;
    this.body = input.body;
    this.db = context.db.within(deadline);
    this.graph = context.graph === context.db ? this.db : context.graph.within(deadline);
    this.#request = request;
    this.#input = input;
    this.#pace = context.settings;
  }

  get list(): ListRequest {
    if (this.#input.list === undefined) throw new Error('the operation declares no list');
    return this.#input.list;
  }

  get form(): Form {
    if (this.#input.form === undefined) throw new Error('the operation declares no form');
    return this.#input.form;
  }

  get upload(): Upload {
    return uploadOf(this.#request, this.#pace);
  }

  get caller(): Caller {
    const caller = this.knownCaller;
    if (caller === undefined) throw new Error('a public operation has no caller');
    return caller;
  }

  get knownCaller(): Caller | undefined {
    return this.#request.kennel?.caller;
  }

  get authorization(): string | undefined {
    return this.#request.headers.authorization;
  }

  prefers(mediaType: string): boolean {
    return acceptsRather(this.#request.headers.accept, mediaType);
  }

  get origin(): Origin {
    const { kennel, id } = this.#request;
    return { actor: actorOf(kennel?.caller), requestId: id, address: kennel?.address ?? '' };
  }
}

function isVolatile(operation: AnyOperation, query: Record<string, unknown>): boolean {
  return typeof operation.volatile === 'function' ? operation.volatile(query) : operation.volatile === true;
}

function addRoute(
  app: FastifyInstance,
  operation: AnyOperation,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.route({
    method: operation.method,
    url: routeUrl(operation.url),
    config: { operation },
    handler,
  });
}
