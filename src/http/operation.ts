import type { Static, TObject, TSchema } from 'typebox';
import type { Caller, Origin, Permission } from '../caller.ts';
import type { Db } from '../db/client.ts';
import type { ErrorCode, Problem } from '../errors.ts';
import type { Form, FormFields } from './form.ts';
import type { List, ListRequest } from './list.ts';
import type { ReadyJson } from './ready-json.ts';

/**
 * `optional`: for everybody, but a token that is sent is checked and tells who is calling.
 * `self`: for everybody who is signed in and acts on themselves, even while their password has expired.
 */
export type Access =
  | 'public'
  | 'optional'
  | 'signed-in'
  | 'self'
  | {
      readonly permission: Permission;
      /** What a person needs beside it, where a collector does it to its own things only. */
      readonly ofPeople?: Permission;
    };

/**
 * One operation of the API: everything that is true of it, in one place. Routing, access checks, validation,
 * the OpenAPI document and the contract tests all read this declaration.
 */
export interface Operation<
  Path extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  /** `operationId` in the OpenAPI document and the context of its errors. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As in the OpenAPI document: `/api/v2/things/{thing_id}`. */
  readonly url: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** Left out: available in both editions. */
  readonly edition?: 'enterprise';
  readonly deprecated?: boolean;
  readonly path?: Path;
  readonly query?: Query;
  readonly body?: Body;
  readonly bodyOptional?: boolean;
  readonly bodyExample?: unknown;
  /** Member names of the body are matched whatever their case: collectors differ in how they write them. */
  readonly bodyAnyCase?: boolean;
  /** The handler reads the body itself, as it arrives (`call.upload`); nothing else limits its size. */
  readonly streamsBody?: boolean;
  /** The body is `multipart/form-data` with these fields. */
  readonly form?: FormFields;
  /** The body is `application/x-www-form-urlencoded` with these fields. */
  readonly urlencodedForm?: FormFields;
  /** Callers can filter, sort and page the answer. */
  readonly list?: List;
  /** Left out: 200. */
  readonly status?: 200 | 201 | 202;
  /** `Empty` where the answer has no body. */
  readonly answer: Answer;
  readonly answerExample?: Static<Answer>;
  /** When the handler may answer with `NoContent` instead, and what that says. */
  readonly emptyAnswer?: string;
  /** gap 1.8: what a collector that signs its requests is answered with instead, as a `LiveAnswer`. */
  readonly liveAnswer?: TSchema;
  /** Media types other than JSON that the handler may answer with, each with its description. */
  readonly documents?: Readonly<Record<string, string>>;
  /** What can go wrong with the thing itself, each with an example of the message. */
  readonly errors?: Partial<Record<ErrorCode, string>>;
  /** Members that errors of these codes have beside the usual ones; an error may say them in other words. */
  readonly errorExtra?: Partial<Record<ErrorCode, Readonly<Record<string, string>>>>;
  /** The answer holds a secret and must not be stored anywhere. */
  readonly secret?: boolean;
  /** The answer is about this moment, so a validator such as ETag would be useless. */
  readonly volatile?: boolean | ((query: Static<Query>) => boolean);
  /** False on the collectors' own endpoints (gap 1.3). */
  readonly rateLimited?: boolean;
  /** Answered ahead of all others: nothing is asked of the store on the way to its handler. */
  readonly probe?: boolean;
  /** What its schemas can't say, because it is about several members, a grammar or the present state. */
  readonly rules?: readonly string[];
  /** Rules that the schema of the query can't say, for the members that are not `invalid` already. */
  readonly checkQuery?: (query: Partial<Static<Query>>, invalid: ReadonlySet<string>) => Problem[];
  handle(
    call: Call<Static<Path>, Static<Query>, Static<Body>>,
  ): Promise<Static<Answer> | Document | LiveAnswer | NoContent | ReadyJson>;
}

/** One request, checked and typed, as a handler sees it. */
export interface Call<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly form: Form;
  readonly upload: Upload;
  readonly list: ListRequest;
  /** Throws on a public operation, where nobody has been identified. */
  readonly caller: Caller;
  /** Who is calling, where that is up to them. */
  readonly knownCaller: Caller | undefined;
  readonly origin: Origin;
  /** The header as it was sent, for an operation that is public because it checks credentials itself. */
  readonly authorization: string | undefined;
  /** Both stores, bounded by the request's deadline. */
  readonly db: Db;
  readonly graph: Db;
  /** Whether the caller would rather have this media type than JSON. */
  prefers(mediaType: string): boolean;
}

/**
 * What is known of a caller before the body has come. `known`: by a token. `proven`: not yet, but the same API
 * token has signed rightly from the same address of late. `unproven`: it may be anybody.
 */
export type Standing = 'known' | 'proven' | 'unproven';

/** The body of an operation that reads it as it arrives. */
export interface Upload {
  /** The bytes as they were sent, perhaps compressed; throws when they stop coming. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** What the caller calls it (`X-File-Upload-Name`), as it was sent. */
  readonly fileName: string | undefined;
  /** The announced length, where there is one. */
  readonly length: number | undefined;
  readonly standing: Standing;
  /**
   * To be awaited once all bytes have been read, and before anything is believed: throws `unauthenticated` if
   * the request is signed and its body is not what was signed, or if the token has ended while it arrived.
   */
  confirm(): Promise<void>;
}

/** gap 1.8: an answer in the flat shapes that deployed collectors read; it must fit `liveAnswer`. */
export class LiveAnswer {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** 204, where an operation has something to tell to some callers only; see `emptyAnswer`. */
export class NoContent {}

/** An answer that is not JSON. A stream is sent at the speed at which it is read. */
export class Document {
  readonly mediaType: string;
  readonly body: string | AsyncIterable<string | Uint8Array>;
  /** Set where a browser should save it. */
  readonly fileName: string | undefined;

  constructor(mediaType: string, body: string | AsyncIterable<string | Uint8Array>, fileName?: string) {
    this.mediaType = mediaType;
    this.body = body;
    this.fileName = fileName;
  }
}

export type AnyOperation = Operation<TObject, TObject, TSchema, TSchema>;

/** What a feature uses to declare its operations. */
export type Register = <
  Path extends TObject,
  Query extends TObject,
  Body extends TSchema,
  Answer extends TSchema,
>(
  operation: Operation<Path, Query, Body, Answer>,
) => void;
