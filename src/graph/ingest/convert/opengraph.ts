import { quoteShort } from '../../../values/text.ts';
import { Draft, nameType } from './draft.ts';
import { maxIdLength, maxKindLength } from './limits.ts';
import { isObject, type Members, model } from './members.ts';
import { copyProperties, isScalar, storedScalar } from './properties.ts';
import { type Converter, type EdgeEnd, Field, type Remark, type Scalar } from './statements.ts';

const nodeModel = model('id', 'kinds', 'all_kinds', 'properties');
const edgeModel = model('kind', 'start', 'end', 'properties');
const endModel = model('value', 'kind', 'match_by', 'property_matchers');
const matcherModel = model('key', 'operator', 'value');

const maxKinds = 3;
const maxAllKinds = 100;

/** What is wrong with a kind's name; kinds that were fine are remembered, there are few of them. */
const goodKinds = new Set<string>();
const edgeKindPattern = /^[A-Za-z0-9_]+$/;

function kindProblem(kind: unknown, use: 'node' | 'edge'): string | undefined {
  if (typeof kind !== 'string' || kind === '') return `must be the name of a kind, but is ${nameType(kind)}`;
  const key = `${use} ${kind}`;
  if (goodKinds.has(key)) return undefined;
  if (kind.length > maxKindLength) return `is longer than ${maxKindLength} characters`;
  // Zones are kinds of that name.
  if (kind.slice(0, 3).toLowerCase() === 'tag') return `is a reserved kind: ${quoteShort(kind)}`;
  if (use === 'edge' && !edgeKindPattern.test(kind)) {
    return `must be letters, digits and underscores: ${quoteShort(kind)}`;
  }
  if (goodKinds.size < 10_000) goodKinds.add(key);
  return undefined;
}

/** An element of `graph.nodes`. */
export const convertOpenGraphNode: Converter = (record, context) => {
  const draft = new Draft(context, 'graph.nodes');
  const node = readMembers(draft, record, nodeModel);
  if (node === undefined) return draft;
  const id = readId(draft, node.id, 'id');
  const first = readKinds(draft, node.kinds, 'kinds', 1, maxKinds);
  // What `kennel export` adds: all kinds of the node, of which OpenGraph has room for three.
  const all =
    node.all_kinds == null ? undefined : readKinds(draft, node.all_kinds, 'all_kinds', 0, maxAllKinds);
  const kinds = all ?? first;
  const properties = copyProperties(draft, node.properties, 'properties');
  if (id === undefined || draft.problems.length > 0) return draft;
  if (isObject(node.properties) && Object.hasOwn(node.properties, 'objectid')) {
    draft.warn('properties.objectid', 'is left out: the id says it');
  }
  const [primary] = first;
  // An export has it among the properties, if the node has it.
  if (primary !== undefined && all === undefined) properties.primarykind = primary;
  const { sourceKind } = context;
  const withSource = sourceKind === undefined || kinds.includes(sourceKind) ? kinds : [...kinds, sourceKind];
  draft.node({ objectId: id, kinds: withSource, properties, collected: true });
  return draft;
};

function readMembers<Name extends string>(
  draft: Draft,
  record: unknown,
  read: (value: object) => Members<Name>,
): Members<Name> | undefined {
  if (isObject(record)) return read(record);
  draft.problem('', `must be an object, but is ${nameType(record)}`);
  return undefined;
}

function readId(draft: Draft, value: unknown, path: string): string | undefined {
  if (typeof value === 'string' && value !== '' && value.length <= maxIdLength) {
    return draft.text(value, path).toUpperCase();
  }
  const found = value === undefined ? 'missing' : nameType(value);
  draft.problem(path, `must be a text of 1 to ${maxIdLength} characters, but is ${found}`);
  return undefined;
}

function readKinds(draft: Draft, value: unknown, path: string, least: number, most: number): string[] {
  if (!Array.isArray(value) || value.length < least || value.length > most) {
    draft.problem(path, `must be a list of ${least} to ${most} kinds`);
    return [];
  }
  value.forEach((kind, index) => {
    const reason = kindProblem(kind, 'node');
    if (reason !== undefined) draft.problem(`${path}[${index}]`, reason);
  });
  return [...new Set(value as string[])];
}

/** An element of `graph.edges`. Ends that are not given by their id are looked up by the store. */
export const convertOpenGraphEdge: Converter = (record, context) => {
  const draft = new Draft(context, 'graph.edges');
  const edge = readMembers(draft, record, edgeModel);
  if (edge === undefined) return draft;
  const reason = kindProblem(edge.kind, 'edge');
  if (reason !== undefined) draft.problem('kind', reason);
  const start = readEnd(draft, edge.start, 'start');
  const end = readEnd(draft, edge.end, 'end');
  const properties = copyProperties(draft, edge.properties, 'properties');
  if (start === undefined || end === undefined || draft.problems.length > 0) return draft;
  for (const { id, kind } of [start, end]) {
    if (typeof id !== 'string') continue;
    const kinds = kind === undefined ? [] : [kind];
    draft.node({ objectId: id, kinds, properties: {}, collected: false });
  }
  draft.edge(start.id, edge.kind as string, end.id, Field.OpenGraph, properties);
  return draft;
};

interface End {
  readonly id: EdgeEnd;
  readonly kind?: string;
}

function readEnd(draft: Draft, value: unknown, path: string): End | undefined {
  if (!isObject(value)) {
    draft.problem(path, `must be an object, but is ${value === undefined ? 'missing' : nameType(value)}`);
    return undefined;
  }
  const end = endModel(value);
  const reason = end.kind === undefined || end.kind === null ? undefined : kindProblem(end.kind, 'node');
  if (reason !== undefined) draft.problem(`${path}.kind`, reason);
  const kind = typeof end.kind === 'string' ? { kind: end.kind } : {};
  const matchBy = end.match_by ?? 'id';
  if (matchBy === 'id') {
    const id = readId(draft, end.value, `${path}.value`);
    return id === undefined ? undefined : { id, ...kind };
  }
  if (matchBy === 'name') {
    const name = readId(draft, end.value, `${path}.value`);
    return name === undefined ? undefined : { id: { properties: [{ key: 'name', value: name }], ...kind } };
  }
  if (matchBy === 'property') {
    const properties = readMatchers(draft, end, path);
    return properties === undefined ? undefined : { id: { properties, ...kind } };
  }
  draft.problem(`${path}.match_by`, `must be id, name or property, but is ${nameType(matchBy)}`);
  return undefined;
}

function readMatchers(
  draft: Draft,
  end: ReturnType<typeof endModel>,
  path: string,
): { key: string; value: Scalar }[] | undefined {
  if (end.value !== undefined) draft.problem(`${path}.value`, 'must be left out when match_by is property');
  if (!Array.isArray(end.property_matchers) || end.property_matchers.length === 0) {
    draft.problem(`${path}.property_matchers`, 'must be a list of at least one matcher');
    return undefined;
  }
  const matchers: { key: string; value: Scalar }[] = [];
  end.property_matchers.forEach((element: unknown, index) => {
    const at = `${path}.property_matchers[${index}]`;
    const { key, operator, value } = matcherModel(isObject(element) ? element : {});
    if (typeof key !== 'string' || key === '') draft.problem(`${at}.key`, 'must be the name of a property');
    else if (operator !== 'equals') draft.problem(`${at}.operator`, 'must be equals');
    else if (!isScalar(value)) draft.problem(`${at}.value`, 'must be a text, a number, true or false');
    else matchers.push({ key, value: storedScalar(key, value) });
  });
  return matchers;
}

/** `metadata` of an OpenGraph file: the kind that all its nodes have besides their own. */
export function readOpenGraphMetadata(value: unknown): { sourceKind?: string; problems: Remark[] } {
  if (value === undefined || value === null) return { problems: [] };
  if (!isObject(value)) {
    return { problems: [{ path: 'metadata', reason: `must be an object, but is ${nameType(value)}` }] };
  }
  const problems: Remark[] = Object.keys(value)
    .filter((key) => key !== 'source_kind')
    .map((key) => ({ path: 'metadata', reason: `has an unknown member ${quoteShort(key)}` }));
  const kind = (value as { source_kind?: unknown }).source_kind;
  if (kind === undefined || kind === null || kind === '') return { problems };
  const reason = kindProblem(kind, 'node');
  if (reason !== undefined) problems.push({ path: 'metadata.source_kind', reason });
  return problems.length > 0 || typeof kind !== 'string' ? { problems } : { sourceKind: kind, problems };
}
