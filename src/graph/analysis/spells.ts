import { type Db, inList, type Reader, type Transaction, type Value } from '../../db/client.ts';
import { publishedAnalysis } from '../node-zones.ts';
import { supersedeRuns, writeAsNewest } from './store.ts';

/**
 * A table whose rows last from one run to another. A run writes them before it is published: readers count a row only
 * if `since_analysis` is not after the published run, and as over only if `until_analysis` is not.
 */
export interface SpellTable {
  readonly name: string;
  /** What makes a row the same as one of the run before. */
  readonly key: readonly string[];
  /** What else a new row has. */
  readonly more: readonly string[];
  /** What else is set, in SQL, when a row ends; `$2` is the run before. */
  readonly atEnd?: string;
}

const rowsAtOnce = 5000;
const idsAtOnce = 1000;

/** The texts are ids and names, which have no line breaks. */
export function spellKey(values: readonly Value[]): string {
  return values.join('\n');
}

/** Rows that a run left behind which never came to be published. */
export async function forgetUnpublished(
  graph: Db,
  table: SpellTable,
  analysisId: number,
  before: number,
): Promise<void> {
  const inBatches = async (condition: string, change: (list: string) => string) => {
    for (;;) {
      const isOver = await writeAsNewest(graph, analysisId, async (graph) => {
        const rows = await graph.query<{ id: number }>(
          `select id from ${table.name} where ${condition} limit ${idsAtOnce}`,
          [before],
        );
        if (rows.length === 0) return true;
        const list = inList(
          rows.map(({ id }) => id),
          1,
        );
        await graph.execute(change(list.sql), list.params);
        return false;
      });
      if (isOver) return;
    }
  };
  await inBatches('since_analysis > $1', (list) => `delete from ${table.name} where id in (${list})`);
  await inBatches(
    'until_analysis > $1',
    (list) => `update ${table.name} set until_analysis = null where id in (${list})`,
  );
}

/**
 * Begins rows for what is there now and was not, and ends those of what is no longer there. `present` has the values
 * of key and more, by key.
 */
export async function changeSpells(
  graph: Db,
  table: SpellTable,
  analysisId: number,
  before: number,
  present: ReadonlyMap<string, readonly Value[]>,
): Promise<void> {
  const known = new Set<string>();
  const gone: number[] = [];
  for await (const page of openRows(graph, table, 'until_analysis is null', [])) {
    for (const { id, key } of page) {
      if (present.has(key)) known.add(key);
      else gone.push(id);
    }
  }
  for (let from = 0; from < gone.length; from += idsAtOnce) {
    const ending = table.atEnd === undefined ? [analysisId] : [analysisId, before];
    const list = inList(gone.slice(from, from + idsAtOnce), ending.length + 1);
    await writeAsNewest(graph, analysisId, (graph) =>
      graph.execute(
        `update ${table.name} set until_analysis = $1${table.atEnd === undefined ? '' : `, ${table.atEnd}`}
         where id in (${list.sql})`,
        [...ending, ...list.params],
      ),
    );
  }
  const columns = [...table.key, ...table.more, 'since_analysis'];
  let rows: Value[][] = [];
  const flush = async () => {
    if (rows.length === 0) return;
    const batch = rows;
    rows = [];
    await writeAsNewest(graph, analysisId, (graph) => graph.bulk(table.name, columns, batch));
  };
  for (const [key, values] of present) {
    if (known.has(key)) continue;
    rows.push([...values, analysisId]);
    if (rows.length === rowsAtOnce) await flush();
  }
  await flush();
}

/** Rows that are not over, page by page. */
export async function* openRows(
  graph: Reader,
  table: SpellTable,
  condition: string,
  params: readonly Value[],
): AsyncGenerator<{ id: number; key: string }[]> {
  const columns = table.key.map((column, index) => `${column} as k${index}`).join(', ');
  let last = 0;
  for (;;) {
    const page = await graph.query<Record<string, Value> & { id: number }>(
      `select id, ${columns} from ${table.name} where ${condition} and id > $${params.length + 1}
       order by id limit ${rowsAtOnce}`,
      [...params, last],
    );
    if (page.length === 0) return;
    yield page.map((row) => ({
      id: row.id,
      key: spellKey(table.key.map((_, index) => row[`k${index}`] as Value)),
    }));
    last = page.at(-1)?.id ?? 0;
  }
}

/** The run that was published last, whether readers still see it or not; 0 when there was none. */
export async function lastPublished(graph: Reader): Promise<number> {
  const row = await graph.one<{ id: number | null }>(
    'select max(id) as id from analyses where published_at is not null',
  );
  return row?.id ?? 0;
}

/**
 * Forgets what was known by then: some rows that runs began which were published by `upTo`. What a later run still
 * saw begins with that one. False when nothing is left. A run that is under way starts over: it has read those rows.
 */
export async function forgetSpells(graph: Transaction, upTo: number, now: number): Promise<boolean> {
  const runs = await graph.one<{ last: number | null; next: number | null }>(
    `select (select max(id) from analyses where published_at <= $1) as last,
       (select min(id) from analyses where published_at > $1) as next`,
    [upTo],
  );
  for (const table of ['findings', 'zone_spells']) {
    const rows = await graph.query<{ id: number; until_analysis: number | null }>(
      `select id, until_analysis from ${table} where since_analysis <= $1 limit ${idsAtOnce}`,
      [runs?.last ?? 0],
    );
    if (rows.length === 0) continue;
    await supersedeRuns(graph, now);
    const next = runs?.next ?? Number.POSITIVE_INFINITY;
    const isSeenLater = (until: number | null) => (until ?? Number.MAX_SAFE_INTEGER) > next;
    const [kept, gone] = [true, false].map((seen) =>
      rows.flatMap(({ id, until_analysis: until }) => (isSeenLater(until) === seen ? [id] : [])),
    ) as [number[], number[]];
    if (kept.length > 0) {
      const list = inList(kept, 2);
      await graph.execute(`update ${table} set since_analysis = $1 where id in (${list.sql})`, [
        next,
        ...list.params,
      ]);
    }
    if (gone.length > 0) {
      const list = inList(gone, 1);
      await graph.execute(`delete from ${table} where id in (${list.sql})`, list.params);
      if (table === 'findings')
        await graph.execute(
          `delete from finding_measures where analysis_id = ${publishedAnalysis} and finding_id in (${list.sql})`,
          list.params,
        );
    }
    return true;
  }
  return false;
}
