import type { TSchema } from 'typebox';
import type { Db, Reader, Value } from '../db/client.ts';
import type { Problem } from '../errors.ts';
import { cleanText } from '../values/text.ts';
import { type Column, readFilter, shown } from './list-filter.ts';
import { filterSchema } from './list-filter-schema.ts';
import type { RawParameters } from './parameters.ts';

export { type Column, type ColumnType, deletedAtColumn } from './list-filter.ts';

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
  /** `skip` may also be called `offset`, as clients of this list do. */
  readonly offset?: true;
  /** Why the rows stay few, or which columns have an index. */
  readonly growth: 'few rows' | 'every column indexed' | 'the usual orders indexed';
}

/** What one caller asked of a list. */
export interface ListRequest {
  readonly where: string;
  readonly params: readonly Value[];
  readonly orderBy: string;
  readonly skip: number;
  readonly limit: number | undefined;
  /** The names of all parameters that were sent. */
  readonly given: ReadonlySet<string>;
}

export interface Page<Row> {
  /** How many rows there are on all pages. */
  readonly count: number;
  readonly rows: Row[];
}

const maxLimit = 10_000;
const maxFilters = 50;
const maxSkip = 2_147_483_647;

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
    if (given === undefined || isPaging(list, name) || otherNames.has(name)) continue;
    const column = Object.hasOwn(list.columns, name) ? list.columns[name] : undefined;
    if (column === undefined) {
      const choice = Object.keys(list.columns).join(', ');
      problems.push(
        problem(name, `the specified column cannot be filtered: ${shown(name)}; choose from ${choice}`),
      );
      continue;
    }
    for (const text of values(given)) {
      const filter = readFilter(name, column, text);
      if ('problem' in filter) {
        problems.push(problem(name, filter.problem));
        continue;
      }
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
    skip: readSkip(list, raw, problems),
    limit: readCount('limit', raw.limit, maxLimit, problems) ?? list.defaultLimit,
    given: new Set(Object.keys(raw).filter((name) => raw[name] !== undefined)),
  };
}

function isPaging(list: List, name: string): boolean {
  return pagingNames.has(name) || (name === 'offset' && list.offset === true);
}

function readSkip(list: List, raw: RawParameters, problems: Problem[]): number {
  const offset = list.offset === true ? raw.offset : undefined;
  if (offset !== undefined && raw.skip !== undefined)
    problems.push(problem('offset', 'offset is another name for skip: give one of them'));
  const skip = readCount('skip', raw.skip, maxSkip, problems);
  return skip ?? readCount('offset', offset, maxSkip, problems) ?? 0;
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
      terms.set(name, orderTerm(column, descends, name === list.key));
    }
  }
  if (!terms.has(list.key)) {
    const key = list.columns[list.key];
    if (key === undefined) throw new Error(`the key ${list.key} is not a column of its list`);
    terms.set(list.key, orderTerm(key, false, true));
  }
  return [...terms.values()].join(', ');
}

/** A value that was never set comes first, as if it were the smallest. */
function orderTerm({ sql, neverNull }: Column, descends: boolean, isKey: boolean): string {
  if (isKey || neverNull === true) return `${sql} ${descends ? 'desc' : 'asc'}`;
  return `${sql} ${descends ? 'desc nulls last' : 'asc nulls first'}`;
}

function readCount(
  name: string,
  raw: string | readonly string[] | undefined,
  most: number,
  problems: Problem[],
): number | undefined {
  if (raw === undefined) return undefined;
  const value = typeof raw === 'string' && /^[0-9]+$/.test(raw) ? Number(raw) : Number.NaN;
  if (value <= most) return value;
  const given = typeof raw === 'string' ? shown(raw) : `given ${raw.length} times`;
  problems.push(problem(name, `${name} must be one whole number from 0 to ${most}, but is ${given}`));
  return undefined;
}

/**
 * One page and the number of all rows. Give it a snapshot where both must be of the same moment; a list that
 * can grow without end takes the store itself, and has a slow snapshot of its own.
 */
export function readPage<Row>(db: Reader | Db, list: List, request: ListRequest): Promise<Page<Row>> {
  return asItGrows(db, list, async (db) => {
    const total = await db.one<{ total: number }>(
      `select cast(count(*) as bigint) as total from ${list.from} where ${request.where}`,
      request.params,
    );
    const rows = await readRows<Row>(db, list, request);
    return { count: total?.total ?? 0, rows };
  });
}

export function readRows<Row>(db: Reader | Db, list: List, request: ListRequest): Promise<Row[]> {
  const { where, params, orderBy, skip, limit } = request;
  const page = `limit $${params.length + 1} offset $${params.length + 2}`;
  const sql = `select ${list.select} from ${list.from} where ${where} order by ${orderBy} ${page}`;
  return asItGrows(db, list, (db) => db.query<Row>(sql, [...params, limit ?? maxSkip, skip]));
}

/** An index helps one filter and one order, but not every mix of them, nor a count. */
function asItGrows<T>(db: Reader | Db, list: List, read: (db: Reader) => Promise<T>): Promise<T> {
  return list.growth !== 'few rows' && 'slowly' in db ? db.slowly(read) : read(db);
}

/** The request with one more condition, which uses `$1` for its value. */
export function narrowed(request: ListRequest, condition: string, value: Value): ListRequest {
  const parameter = `$${request.params.length + 1}`;
  return {
    ...request,
    where: `${request.where} and (${condition.replace(/\$1\b/g, () => parameter)})`,
    params: [...request.params, value],
  };
}

/** The parameters of a list, for the API document. */
export function listParameters(list: List): Record<string, TSchema> {
  const filters = Object.entries(list.columns).map(([name, column]) => [
    name,
    {
      type: 'array',
      items: filterSchema(column),
      maxItems: maxFilters,
      description: `Filters that must all hold, at most ${maxFilters} over all columns`,
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
    ...(list.offset === true
      ? { offset: { type: 'integer', minimum: 0, maximum: maxSkip, description: 'Another name for skip' } }
      : {}),
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
  return { context: cleanText(context.slice(0, 100)), message };
}
