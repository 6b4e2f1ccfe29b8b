import type { Reader } from '../../db/client.ts';

export interface MeasuredEnvironment {
  readonly id: string;
  /** Empty when it is no longer in the graph. */
  readonly name: string;
}

/** The environments that runs within the range have measured, by name. */
export function listMeasured(graph: Reader, start: number, end: number): Promise<MeasuredEnvironment[]> {
  return graph.query<MeasuredEnvironment>(
    `select e.id, coalesce(n.name, '') as name
     from (select distinct environment_id as id from posture_stats where finished_at >= $1 and finished_at < $2) e
     left join nodes n on n.object_id = e.id order by 2, 1`,
    [start, end],
  );
}
