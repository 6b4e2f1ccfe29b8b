import type { Transaction, Value } from '../../../db/client.ts';
import type { EdgeStatement, Properties } from '../convert/statements.ts';
import { Interner } from './interner.ts';
import { mergeEdge, mergeProperties, type Stored, withoutNulls } from './merge.ts';
import { slices, type Visit } from './staged.ts';

interface Draft {
  readonly start: number;
  readonly kind: string;
  readonly end: number;
  properties: Properties;
  fields: number;
  throughs: Set<number> | undefined;
}

const columns = ['start_id', 'kind_id', 'end_id', 'properties', 'last_seen', 'stated_by', 'seen_by'] as const;

/** Differing properties wait in `pending`, with the fields that state them, until they are merged. */
const onConflict = `on conflict (start_id, kind_id, end_id) do update set
  pending = case when edges.properties = excluded.properties then null
    else cast(edges.stated_by as text) || ' ' || cast(excluded.stated_by as text) || ' ' || excluded.properties end,
  last_seen = case when edges.last_seen < excluded.last_seen then excluded.last_seen else edges.last_seen end,
  stated_by = edges.stated_by | excluded.stated_by,
  seen_by = case when edges.last_seen < excluded.last_seen then excluded.seen_by
    else edges.seen_by | excluded.seen_by end`;

/** Writes the edges of one file, batch by batch. */
export class EdgeWriter {
  written = 0;
  readonly #visit: Visit;
  readonly #kinds = new Interner('edge_kinds');
  #drafts = new Map<string, Draft>();

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  /** Both ends are nodes by now; what a batch says twice is one edge. */
  add(edge: EdgeStatement, start: number, end: number, through: number | undefined): void {
    const key = `${start} ${end} ${edge.kind}`;
    let draft = this.#drafts.get(key);
    if (draft === undefined) {
      const { kind, properties, by } = edge;
      draft = { start, kind, end, properties, fields: by, throughs: undefined };
      this.#drafts.set(key, draft);
    } else {
      if (draft.properties !== edge.properties) {
        draft.properties = mergeEdge(draft, { fields: edge.by, properties: edge.properties });
      }
      draft.fields |= edge.by;
    }
    if (through !== undefined) {
      draft.throughs ??= new Set();
      draft.throughs.add(through);
    }
  }

  async write(db: Transaction): Promise<void> {
    const drafts = [...this.#drafts.values()];
    this.#drafts = new Map();
    if (drafts.length === 0) return;
    await this.#kinds.ensure(
      db,
      drafts.map((draft) => draft.kind),
    );
    const rows = drafts.map((draft) => this.#row(draft));
    await db.bulk('edges', columns, rows, onConflict);
    await this.#mergePending(db);
    for (const draft of drafts) {
      if (withoutNulls(draft.properties) !== draft.properties) await this.#removeNulls(db, draft);
      if (draft.throughs !== undefined) await this.#writeThroughs(db, draft, draft.throughs);
    }
    this.written += drafts.length;
  }

  #row(draft: Draft): Value[] {
    const { seenAt } = this.#visit;
    const properties = JSON.stringify(withoutNulls(draft.properties));
    const kindId = this.#kinds.idOf(draft.kind);
    return [draft.start, kindId, draft.end, properties, seenAt, draft.fields, draft.fields];
  }

  /** Here and not in SQL: the stores would each write JSON in their own way. */
  async #mergePending(db: Transaction): Promise<void> {
    const rows = await db.query<{ id: number; properties: string; pending: string }>(
      'select id, properties, pending from edges where pending is not null',
    );
    for (const row of rows) {
      const [earlier, later] = row.pending.split(' ', 2).map(Number) as [number, number];
      const stated = row.pending.slice(`${earlier} ${later} `.length);
      const properties = mergeEdge(
        { fields: earlier, properties: JSON.parse(row.properties) },
        { fields: later, properties: JSON.parse(stated) },
      );
      await db.execute('update edges set properties = $1, pending = null where id = $2', [
        JSON.stringify(properties),
        row.id,
      ]);
    }
  }

  /** A null only says something to an edge that was there before. */
  async #removeNulls(db: Transaction, draft: Draft): Promise<void> {
    const key = [draft.start, this.#kinds.idOf(draft.kind), draft.end];
    const row = await db.one<{ id: number; properties: string }>(
      'select id, properties from edges where start_id = $1 and kind_id = $2 and end_id = $3',
      key,
    );
    if (row === undefined) return;
    const properties: Stored = JSON.parse(row.properties);
    mergeProperties(properties, draft.properties);
    await db.execute('update edges set properties = $1 where id = $2', [JSON.stringify(properties), row.id]);
  }

  async #writeThroughs(db: Transaction, draft: Draft, throughs: ReadonlySet<number>): Promise<void> {
    const edge = await db.one<{ id: number }>(
      'select id from edges where start_id = $1 and kind_id = $2 and end_id = $3',
      [draft.start, this.#kinds.idOf(draft.kind), draft.end],
    );
    if (edge === undefined) throw new Error('an edge that was just written is not there');
    for (const some of slices([...throughs])) {
      await db.bulk(
        'edge_throughs',
        ['edge_id', 'through_id', 'last_seen'],
        some.map((through) => [edge.id, through, this.#visit.seenAt]),
        'on conflict (edge_id, through_id) do update set last_seen = excluded.last_seen where edge_throughs.last_seen < excluded.last_seen',
      );
    }
  }
}
