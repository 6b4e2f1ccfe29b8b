import type { TSchema } from 'typebox';
import type { Reader, Value } from '../db/client.ts';
import type { Problem } from '../errors.ts';
import { cleanText, quoteShort } from '../values/text.ts';
import { parseRfc3339 } from '../values/time.ts';
import type { RawParameters } from './parameters.ts';

export type ColumnType = 'text' | 'integer' | 'time' | 'uuid' | 'boolean';

export interface Column {
  readonly type: ColumnType;
  /** What it is in the list's SQL, such as `u.principal_name`. */
  readonly sql: string;
}

/**
 * A list that callers can filter, sort and page: one declaration, from which come the parameters, the API
 * document and the SQL. A list that can grow without end needs an index for each of its columns.
 */
export interface List {
  readonly columns: Readonly<Record<string, Column>>;
  /** The columns of a row, and where they come from; joins must not multiply rows. */
  readonly select: string;
  readonly from: string;
  /** A unique column, never null, that settles every tie: pages never overlap. */
  readonly key: string;
  /** Used without `sort_by`, each with `-` for descending; left out: the key. */
  readonly defaultSort?: readonly string[];
  /** Left out: everything. */
  readonly defaultLimit?: number;
  /** Why the rows stay few, or that every column has an index. */
  readonly growth: 'few rows' | 'every column indexed';
}

/** What one caller asked of a list. */
export interface ListRequest {
  readonly where: string;
  readonly params: readonly Value[];
  readonly orderBy: string;
  readonly skip: number;
  readonly limit: number | undefined;
}

export interface Page<Row> {
  /** How many rows there are on all pages. */
  readonly count: number;
  readonly rows: Row[];
}

const maxLimit = 10_000;
const maxFilters = 50;
const maxSkip = 2_147_483_647;

const comparisons: Readonly<Record<string, string>> = {
  eq: '=',
  neq: 'is distinct from',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

const ordered = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'];
const predicatesOf: Readonly<Record<ColumnType, readonly string[]>> = {
  text: ['eq', 'neq', '~eq'],
  integer: ordered,
  time: ordered,
  uuid: ['eq', 'neq'],
  boolean: ['eq', 'neq'],
};
const allPredicates = new Set(Object.values(predicatesOf).flat());

const formOf: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  integer: 'a whole number',
  time: 'an RFC 3339 date-time such as 2026-01-31T00:00:00Z',
  uuid: 'a UUID',
  boolean: 'true or false',
};

const pagingNames = new Set(['sort_by', 'skip', 'limit']);

/** Reads filters, order and page; what is not a column or not a value of its type is refused by name. */
export function readListRequest(
  list: List,
  raw: RawParameters,
  otherNames: ReadonlySet<string>,
  problems: Problem[],
): ListRequest {
  const conditions: string[] = [];
  const params: Value[] = [];
  for (const [name, given] of Object.entries(raw)) {
    if (given === undefined || pagingNames.has(name) || otherNames.has(name)) continue;
    const column = Object.hasOwn(list.columns, name) ? list.columns[name] : undefined;
    if (column === undefined) {
      problems.push(problem(name, `the specified column cannot be filtered: ${shown(name)}`));
      continue;
    }
    for (const text of values(given)) {
      const filter = readFilter(name, column, text, problems);
      if (filter === undefined) continue;
      if (filter.value !== undefined) params.push(filter.value);
      conditions.push(filter.condition(`$${params.length}`));
    }
  }
  if (conditions.length > maxFilters)
    problems.push(
      problem('query', `at most ${maxFilters} filters are taken, ${conditions.length} are given`),
    );
  return {
    where: conditions.length === 0 ? 'true' : conditions.join(' and '),
    params,
    orderBy: readOrder(list, raw.sort_by, problems),
    skip: readCount('skip', raw.skip, maxSkip, problems) ?? 0,
    limit: readCount('limit', raw.limit, maxLimit, problems) ?? list.defaultLimit,
  };
}

interface Filter {
  readonly condition: (parameter: string) => string;
  /** Left out where the condition needs none. */
  readonly value?: Value;
}

function readFilter(name: string, column: Column, text: string, problems: Problem[]): Filter | undefined {
  const { predicate, operand } = splitFilter(text);
  const reject = (message: string) => {
    problems.push(problem(name, message));
    return undefined;
  };
  if (!allPredicates.has(predicate)) {
    return reject(
      `${shown(predicate)} is not a filter predicate: use ${predicatesOf[column.type].join(', ')}, as in ${name}=${predicatesOf[column.type][0]}:value`,
    );
  }
  if (!predicatesOf[column.type].includes(predicate)) {
    return reject(
      `the specified filter predicate is not supported for this column: ${name} ${predicate}; it takes ${predicatesOf[column.type].join(', ')}`,
    );
  }
  if (operand === 'null') {
    if (predicate === 'eq') return { condition: () => `${column.sql} is null` };
    if (predicate === 'neq') return { condition: () => `${column.sql} is not null` };
    return reject(`${name} can be compared to null with eq and neq only, not with ${predicate}`);
  }
  if (predicate === '~eq') {
    // `lower` folds ASCII alone on both stores: on PostgreSQL because every text column has the C collation.
    const sought = operand.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[\\%_]/g, '\\$&');
    return {
      condition: (parameter) => `lower(${column.sql}) like ${parameter} escape '\\'`,
      value: `%${sought}%`,
    };
  }
  const value = readOperand(column.type, operand);
  if (value === undefined) return reject(`${name} must be ${formOf[column.type]}, but is ${shown(operand)}`);
  // Without the cast PostgreSQL would take the width of the column, and refuse what does not fit.
  const wide = column.type === 'integer' || column.type === 'time';
  return {
    condition: (parameter) =>
      `${column.sql} ${comparisons[predicate]} ${wide ? `cast(${parameter} as bigint)` : parameter}`,
    value,
  };
}

/** `gte:5`; without a predicate it is `eq`. A date-time has a colon too, but no word before it. */
function splitFilter(text: string): { predicate: string; operand: string } {
  const found = /^(~?[A-Za-z]+):(.*)$/s.exec(text);
  if (found === null) return { predicate: 'eq', operand: cleanText(text) };
  return { predicate: found[1] ?? '', operand: cleanText(found[2] ?? '') };
}

function readOperand(type: ColumnType, text: string): Value | undefined {
  switch (type) {
    case 'text':
      return text;
    case 'integer': {
      if (!/^-?[0-9]{1,19}$/.test(text)) return undefined;
      const value = BigInt(text);
      return BigInt.asIntN(64, value) === value ? value : undefined;
    }
    case 'time':
      return parseRfc3339(text);
    case 'uuid':
      return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
    case 'boolean':
      return text === 'true' ? 1 : text === 'false' ? 0 : undefined;
  }
}

function readOrder(list: List, raw: string | readonly string[] | undefined, problems: Problem[]): string {
  const asked = raw === undefined ? (list.defaultSort ?? [list.key]) : values(raw);
  const terms = new Map<string, string>();
  for (const text of asked) {
    const descends = text.startsWith('-');
    const name = descends ? text.slice(1) : text;
    const column = Object.hasOwn(list.columns, name) ? list.columns[name] : undefined;
    if (column === undefined) {
      const sortable = Object.keys(list.columns).join(', ');
      problems.push(
        problem('sort_by', `the specified column cannot be sorted: ${shown(name)}; choose from ${sortable}`),
      );
    } else if (!terms.has(name)) {
      // A value that was never set comes first, as if it were the smallest.
      terms.set(name, `${column.sql} ${descends ? 'desc nulls last' : 'asc nulls first'}`);
    }
  }
  if (!terms.has(list.key)) terms.set(list.key, `${list.columns[list.key]?.sql} asc`);
  return [...terms.values()].join(', ');
}

function readCount(
  name: string,
  raw: string | readonly string[] | undefined,
  most: number,
  problems: Problem[],
): number | undefined {
  if (raw === undefined) return undefined;
  const value = typeof raw === 'string' && /^[0-9]{1,10}$/.test(raw) ? Number(raw) : Number.NaN;
  if (value <= most) return value;
  const given = typeof raw === 'string' ? shown(raw) : `given ${raw.length} times`;
  problems.push(problem(name, `${name} must be one whole number from 0 to ${most}, but is ${given}`));
  return undefined;
}

/** One page and the number of all rows; give it a snapshot where both must be of the same moment. */
export async function readPage<Row>(db: Reader, list: List, request: ListRequest): Promise<Page<Row>> {
  const total = await db.one<{ total: number }>(
    `select cast(count(*) as bigint) as total from ${list.from} where ${request.where}`,
    request.params,
  );
  const rows = await readRows<Row>(db, list, request);
  return { count: total?.total ?? 0, rows };
}

export function readRows<Row>(db: Reader, list: List, request: ListRequest): Promise<Row[]> {
  const { where, params, orderBy, skip, limit } = request;
  const page = `limit $${params.length + 1} offset $${params.length + 2}`;
  return db.query<Row>(`select ${list.select} from ${list.from} where ${where} order by ${orderBy} ${page}`, [
    ...params,
    limit ?? maxSkip,
    skip,
  ]);
}

/** A request of the program's own, narrowed further: `condition` may use `$1` for its value. */
export function narrowed(request: ListRequest, condition: string, value: Value): ListRequest {
  const parameter = `$${request.params.length + 1}`;
  return {
    ...request,
    where: `${request.where} and ${condition.replaceAll('$1', parameter)}`,
    params: [...request.params, value],
  };
}

/** The parameters of a list, for the API document. */
export function listParameters(list: List): Record<string, TSchema> {
  const filters = Object.entries(list.columns).map(([name, column]) => [
    name,
    {
      type: 'array',
      items: { type: 'string' },
      description: `Filter, as predicate:value with ${formOf[column.type]}. Predicates: ${predicatesOf[column.type].join(', ')}; without one it is eq. Repeated filters must all hold. eq:null means unset.`,
    },
  ]);
  const names = Object.keys(list.columns);
  return {
    ...Object.fromEntries(filters),
    sort_by: {
      type: 'array',
      items: { type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) },
      description: 'Columns to sort by, in this order; `-` descends',
    },
    skip: { type: 'integer', minimum: 0, maximum: maxSkip, default: 0, description: 'Rows to leave out' },
    limit: {
      type: 'integer',
      minimum: 0,
      maximum: maxLimit,
      ...(list.defaultLimit === undefined ? {} : { default: list.defaultLimit }),
      description: 'Rows to answer with at most',
    },
  } as Record<string, TSchema>;
}

function values(given: string | readonly string[]): readonly string[] {
  return typeof given === 'string' ? [given] : given;
}

function problem(context: string, message: string): Problem {
  return { context: cleanText(context).slice(0, 100), message };
}

function shown(text: string): string {
  return quoteShort(cleanText(text), 60);
}
