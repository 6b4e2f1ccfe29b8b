import type { Db, Reader } from '../../db/client.ts';
import { csvLine } from '../../http/csv.ts';
import { csvPages, unpaged } from '../../http/csv-pages.ts';
import type { ListRequest } from '../../http/list.ts';
import { csvHeader, type Icons, toCsvCells, toFindingView } from './schema.ts';
import { type FindingRow, findFindings, readAcceptances, readFindingIds, readShown } from './store.ts';

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

/** All that the request is about, as CSV. */
export function exportFindings(
  first: Db,
  later: Db,
  request: ListRequest,
  now: number,
  icons: Icons,
): Promise<AsyncIterable<string>> {
  return csvPages(first, later, {
    header: csvHeader,
    ids: (graph) => readFindingIds(graph, unpaged(request), now),
    lines: async (graph, ids) => {
      const views = await showFindings(graph, await findFindings(graph, ids, now), now, icons);
      return views.map((view) => csvLine(toCsvCells(view))).join('');
    },
  });
}
