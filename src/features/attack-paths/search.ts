import { inList, type Reader, type Value } from '../../db/client.ts';
import { rebuiltKinds } from '../../graph/analysis/edge-kinds.ts';
import { principalKinds } from '../../graph/analysis/measure/environments.ts';
import { traversableKinds } from '../../graph/analysis/measure/traversable.ts';
import { publishedAnalysis } from '../../graph/node-zones.ts';

/** An edge, by numbers. */
export interface Step {
  readonly start: number;
  readonly end: number;
  readonly kind: number;
}

/** Kinds are what JSON.stringify makes of names, so a name in quotes is a whole one. */
const isPrincipal = principalKinds.map((kind) => `replace(l.kinds, '"${kind}"', '') <> l.kinds`).join(' or ');

/** Edges that an attacker can follow, from their ends, where the start is in no zone that is as privileged. */
export class Search {
  readonly #graph: Reader;
  /** By table: what somebody uploads of the kinds that analysis makes does not count. */
  readonly #kinds: Readonly<Record<'edges' | 'derived_edges', readonly number[]>>;
  readonly #barred: readonly number[];

  private constructor(
    graph: Reader,
    kinds: readonly { id: number; name: string }[],
    barred: readonly number[],
  ) {
    const stated = kinds.filter(({ name }) => !rebuiltKinds.includes(name));
    this.#graph = graph;
    this.#kinds = { edges: stated.map(({ id }) => id), derived_edges: kinds.map(({ id }) => id) };
    this.#barred = barred;
  }

  /** Outside of this zone, and of those that were above it when the analysis ran. */
  static async begin(graph: Reader, tag: number): Promise<Search> {
    const names = inList(traversableKinds, 1);
    const kinds = await graph.query<{ id: number; name: string }>(
      `select id, name from edge_kinds where name in (${names.sql})`,
      names.params,
    );
    const zones = await graph.query<{ id: number; position: number }>(
      `select tag_id as id, position from analysis_zones where analysis_id = ${publishedAnalysis}`,
    );
    const position = zones.find(({ id }) => id === tag)?.position ?? 0;
    const above = zones.filter((zone) => zone.position < position).map(({ id }) => id);
    return new Search(graph, kinds, [tag, ...above]);
  }

  async find(objectId: string): Promise<{ id: number; isPrincipal: boolean } | undefined> {
    const row = await this.#graph.one<{ id: number; principal: number }>(
      `select n.id, case when ${isPrincipal} then 1 else 0 end as principal
       from nodes n join kind_lists l on l.id = n.kind_list_id where n.object_id = $1`,
      [objectId],
    );
    return row && { id: row.id, isPrincipal: row.principal === 1 };
  }

  async principalBefore(ends: readonly number[]): Promise<Step | undefined> {
    const [step] = await this.#read(ends, `and (${isPrincipal})`, 1);
    return step;
  }

  before(ends: readonly number[], limit: number): Promise<Step[]> {
    return this.#read(ends, '', limit);
  }

  async #read(ends: readonly number[], condition: string, limit: number): Promise<Step[]> {
    const steps: Step[] = [];
    for (const table of ['edges', 'derived_edges'] as const) {
      if (this.#kinds[table].length === 0 || steps.length >= limit) continue;
      const params: Value[] = [];
      const listed = (values: readonly number[]) => {
        const list = inList(values, params.length + 1);
        params.push(...list.params);
        return list.sql;
      };
      const ofRun = table === 'edges' ? '' : `e.analysis_id = ${publishedAnalysis} and`;
      const values = paddedWithNull(ends).map((end) => `(cast($${params.push(end)} as bigint))`);
      // Crossed, so that SQLite goes by the ends first: it knows too little of the rows to see that they are few.
      const rows = await this.#graph.query<Step>(
        `with ends (id) as (values ${values.join(', ')})
         select e.start_id as start, e.end_id as "end", e.kind_id as kind
         from ends cross join ${table} e cross join nodes n cross join kind_lists l
         where n.id = e.start_id and l.id = n.kind_list_id and ${ofRun} e.end_id = ends.id
           and e.kind_id in (${listed(this.#kinds[table])})
           and e.start_id <> e.end_id ${condition}
           and not exists (select 1 from node_zones z where z.analysis_id = ${publishedAnalysis}
             and z.node_id = e.start_id and z.tag_id in (${listed(this.#barred)}))
         limit ${limit - steps.length}`,
        params,
      );
      steps.push(...rows);
    }
    return steps;
  }
}

/** To a power of two, so that there are few different statements. */
function paddedWithNull(values: readonly number[]): (number | null)[] {
  let size = 1;
  while (size < values.length) size *= 2;
  return [...values, ...Array<null>(size - values.length).fill(null)];
}
