import type { Reader } from '../../../db/client.ts';
import type { Point } from './measure.ts';

/** How many findings are gone by this run, tag by tag, as far as they are still kept; nothing where there is none. */
export async function archivedPoints(graph: Reader, analysisId: number): Promise<Point[]> {
  const rows = await graph.query<{ tagId: number; environmentId: string; numerator: number }>(
    `select tag_id as "tagId", environment_id as "environmentId", cast(count(*) as bigint) as numerator
     from findings where until_analysis <= $1 group by tag_id, environment_id`,
    [analysisId],
  );
  return rows.map((row) => ({ ...row, dataType: 'archived-findings', denominator: 0 }));
}
