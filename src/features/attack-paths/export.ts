import type { Db, Reader } from '../../db/client.ts';
import { csvLine } from '../../http/csv.ts';
import type { ListRequest } from '../../http/list.ts';
import { csvHeader, type Icons, toCsvCells, toFindingView } from './schema.ts';
import { type FindingRow, findFindings, readAcceptances, readFindingIds, readShown } from './store.ts';

const pageSize = 1024;

/** Findings with what is known of their ends. */
export async function showFindings(graph: Reader, rows: readonly FindingRow[], now: number, icons: Icons) {
  const acceptances = await readAcceptances(
    graph,
    rows.map(({ id }) => id),
    now,
  );
  const nodes = await readShown(
    graph,
    rows.flatMap((row) => [row.source_id, row.target_id]),
  );
  return rows.map((row) => toFindingView(row, acceptances.get(row.id), nodes, icons));
}

/** All that the request is about, as CSV. Which ones and their order is settled first; then page after page is read. */
export async function exportFindings(
  first: Db,
  graph: Db,
  request: ListRequest,
  now: number,
  icons: Icons,
): Promise<AsyncIterable<string>> {
  const limit = request.given.has('limit') ? request.limit : undefined;
  const lines = async (graph: Reader, ids: readonly number[]) => {
    const views = await showFindings(graph, await findFindings(graph, ids, now), now, icons);
    return views.map((view) => csvLine(toCsvCells(view))).join('');
  };
  // Read before the answer begins, so that a store that is out of reach is still a proper error.
  const { ids, page } = await first.slowly(async (graph) => {
    const ids = await readFindingIds(graph, { ...request, limit }, now);
    return { ids, page: await lines(graph, ids.slice(0, pageSize)) };
  });
  return (async function* () {
    yield csvLine(csvHeader) + page;
    for (let from = pageSize; from < ids.length; from += pageSize)
      yield await graph.slowly((graph) => lines(graph, ids.slice(from, from + pageSize)));
  })();
}
