import assert from 'node:assert/strict';
import { resolveReferences, withParts } from '../server/api-document.ts';
import type { Shape } from './contract.ts';

/** The parts of an OpenAPI document that the tests read. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly propertyNames?: Schema;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly $ref?: string;
}

export interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly style?: string;
  readonly explode?: boolean;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters: readonly DocumentedParameter[];
  /** What its schemas can't say. */
  readonly 'x-rules'?: readonly string[];
  readonly requestBody?: { required: boolean; content: Record<string, Media> };
  readonly responses: Record<string, { description: string; content?: Record<string, Media> }>;
}

export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly tags: readonly { name: string }[];
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: Record<'schemas' | 'responses' | 'parameters' | 'headers', Record<string, unknown>> & {
    securitySchemes: Record<string, unknown>;
  };
}

/** As a stranger reads it, who follows references to parameters and responses. */
export function asDocument(value: unknown): ApiDocument {
  return withParts(JSON.parse(JSON.stringify(value)));
}

export function operationsOf(document: ApiDocument) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** Puts components in place of references. */
export function resolved<T>(document: ApiDocument, value: T): T {
  return resolveReferences(document, value) as T;
}

/** A schema in the words of the contract. Every member of a record must always be there, and no other. */
export function shapeOf(schema: Schema): Shape {
  if (schema.enum !== undefined) return schema.enum.join('|');
  if (schema.type === 'array') return [shapeOf(schema.items ?? {})];
  if (schema.type === 'string') return schema.format ?? 'string';
  if (schema.type === 'integer') {
    const type = schema.format ?? 'integer';
    return schema.minimum === undefined ? type : `${type} >= ${schema.minimum}`;
  }
  if (schema.type !== 'object') return schema.type ?? 'anything';
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0 && schema.additionalProperties === true) return 'object';
  assert.equal(schema.additionalProperties, false, `${JSON.stringify(schema)} lets unknown members in`);
  assert.deepEqual([...(schema.required ?? [])].sort(), members.map(([name]) => name).sort());
  return Object.fromEntries(members.map(([name, member]) => [name, shapeOf(member)]));
}
