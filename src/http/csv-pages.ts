import type { Db, Reader } from '../db/client.ts';
import { csvLine } from './csv.ts';
import type { ListRequest } from './list.ts';

const pageSize = 1024;

export interface CsvSource {
  readonly header: readonly string[];
  /** The numbers of all rows, in their order. */
  readonly ids: (graph: Reader) => Promise<readonly number[]>;
  /** The lines of these; what is gone by now is left out. */
  readonly lines: (graph: Reader, ids: readonly number[]) => Promise<string>;
}

/**
 * A list as CSV. Which rows and their order is settled first; then page after page is read. The first one is read
 * before the answer begins, so that a store that is out of reach is still a proper error.
 */
export async function csvPages(
  first: Db,
  later: Db,
  { header, ids: readIds, lines }: CsvSource,
): Promise<AsyncIterable<string>> {
  const { ids, page } = await first.slowly(async (graph) => {
    const ids = await readIds(graph);
    return { ids, page: await lines(graph, ids.slice(0, pageSize)) };
  });
  return (async function* () {
    yield csvLine(header) + page;
    for (let from = pageSize; from < ids.length; from += pageSize)
      yield await later.slowly((graph) => lines(graph, ids.slice(from, from + pageSize)));
  })();
}

/** A page is what is asked for by who says so; others want all of it. */
export function unpaged(request: ListRequest): ListRequest {
  return { ...request, limit: request.given.has('limit') ? request.limit : undefined };
}
