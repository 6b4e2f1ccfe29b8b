import { inList, type Reader, type Transaction } from '../../db/client.ts';
import { publishedAnalysis } from '../node-zones.ts';

const rowsAtOnce = 1000;

/**
 * Deletes some of what no reader can ask for who looks back no further than `before`: spells that were over by then,
 * and runs that no spell begins with. The run that was in force then stays. False when there is nothing left.
 */
export async function forgetSpells(graph: Transaction, before: number): Promise<boolean> {
  const inForce = await graph.one<{ id: number }>(
    'select id from analyses where published_at < $1 order by published_at desc limit 1',
    [before],
  );
  if (inForce === undefined) return false;
  for (const table of ['findings', 'zone_spells'])
    if (await deleteSome(graph, table, 'until_analysis <= $1', inForce.id)) return true;
  return deleteSome(
    graph,
    'analyses',
    `id < $1 and published_at is not null and id is distinct from ${publishedAnalysis}
     and not exists (select 1 from findings f where f.since_analysis = analyses.id)
     and not exists (select 1 from zone_spells z where z.since_analysis = analyses.id)`,
    inForce.id,
  );
}

async function deleteSome(
  graph: Transaction,
  table: string,
  condition: string,
  value: number,
): Promise<boolean> {
  const rows = await findSome(graph, table, condition, value);
  if (rows.length === 0) return false;
  const list = inList(
    rows.map(({ id }) => id),
    1,
  );
  await graph.execute(`delete from ${table} where id in (${list.sql})`, list.params);
  return true;
}

function findSome(graph: Reader, table: string, condition: string, value: number): Promise<{ id: number }[]> {
  return graph.query(`select id from ${table} where ${condition} limit ${rowsAtOnce}`, [value]);
}
