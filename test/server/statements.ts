import { findConverter } from '../../src/graph/ingest/convert/converters.ts';
import {
  type Context,
  type EdgeEnd,
  Field,
  type Statements,
} from '../../src/graph/ingest/convert/statements.ts';

/** All methods but the looping ones, as a full collection has them. */
export const allMethods = 521_215;

/** Converts one record of a file of this type, with the whole of collection unless said otherwise. */
export function convert(type: string, record: unknown, context: Partial<Context> = {}): Statements {
  const converter = findConverter(type);
  if (typeof converter !== 'function') throw new Error(converter.reason);
  return converter(record, { methods: allMethods, version: 6, index: 0, ...context });
}

/** `START Kind END`, without those kinds of edge that are not asked for. */
export function edgesOf(statements: Statements, ...kinds: string[]): string[] {
  return statements.edges
    .filter((edge) => kinds.length === 0 || kinds.includes(edge.kind))
    .map((edge) => `${nameEnd(edge.start)} ${edge.kind} ${nameEnd(edge.end)}`);
}

function nameEnd(end: EdgeEnd): string {
  return typeof end === 'string' ? end : JSON.stringify(end);
}

export function propertiesOf(statements: Statements, objectId: string): Record<string, unknown> {
  const nodes = statements.nodes.filter((node) => node.objectId === objectId);
  return Object.assign({}, ...nodes.map((node) => node.properties));
}

export function kindsOf(statements: Statements, objectId: string): string[] {
  return [
    ...new Set(statements.nodes.filter((node) => node.objectId === objectId).flatMap((node) => node.kinds)),
  ];
}

/** `Field end ID`. */
export function wholesOf(statements: Statements): string[] {
  return statements.wholes.map((whole) => `${fieldName(whole.field)} ${whole.end} ${whole.objectId}`).sort();
}

export function fieldName(field: Field): string {
  return Object.entries(Field).find(([, bit]) => bit === field)?.[0] ?? `field ${field}`;
}

/** `path: reason`. */
export function warningsOf(statements: Statements): string[] {
  return statements.warnings.map((warning) => `${warning.path}: ${warning.reason}`);
}
