import { inList, type Transaction } from '../../../db/client.ts';
import { Field, fieldEnds, type WholeStatement } from '../convert/statements.ts';
import { slices, type Visit } from './staged.ts';

interface EdgeRow {
  readonly id: number;
  readonly node_id: number;
  readonly stated_by: number;
  readonly last_seen: number;
  readonly seen_by: number;
}

const fieldsAt = (end: WholeStatement['end']) =>
  [...fieldEnds].reduce((bits, [field, at]) => (at === end ? bits | field : bits), 0);
const ends = [
  { end: 'start', column: 'start_id', fields: fieldsAt('start') },
  { end: 'end', column: 'end_id', fields: fieldsAt('end') },
] as const;

const page = 1000;

/**
 * What the source no longer says goes (gap 4.5). Edges that a whole statement does not name are noted when its
 * record is applied, and withdrawn when the file is over, because a later record of the file may name them. What
 * was stated at the same time stays: the files of one upload, which share it, are one account of the source, even
 * where two of them speak about one object.
 */
export class Withdrawals {
  withdrawn = 0;
  readonly #visit: Visit;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  /** To be called when the edges of the same records are written; nodes that the file has made are left out. */
  async note(db: Transaction, wholes: readonly (WholeStatement & { readonly id: number })[]): Promise<void> {
    for (const { end, column, fields } of ends) {
      const stated = new Map<number, number>();
      for (const whole of wholes) {
        if (whole.end === end) stated.set(whole.id, (stated.get(whole.id) ?? 0) | whole.field);
      }
      for (const some of slices([...stated.keys()])) {
        const list = inList(some, 3);
        const rows = await db.query<EdgeRow>(
          `select id, ${column} as node_id, stated_by, last_seen, seen_by from edges
           where (stated_by & $1) <> 0 and (last_seen < $2 or stated_by <> seen_by) and ${column} in (${list.sql})`,
          [fields, this.#visit.seenAt, ...list.params],
        );
        const lost = rows
          .map((row) => [row.id, this.#unstated(row, stated.get(row.node_id) ?? 0), 0])
          .filter(([, bits]) => bits !== 0);
        await this.#insert(db, lost);
      }
    }
    const throughs = wholes.filter((whole) => whole.end === 'through').map((whole) => whole.id);
    for (const some of slices(throughs)) {
      const list = inList(some, 2);
      const rows = await db.query<{ edge_id: number; through_id: number }>(
        `select edge_id, through_id from edge_throughs where last_seen < $1 and through_id in (${list.sql})`,
        [this.#visit.seenAt, ...list.params],
      );
      await this.#insert(
        db,
        rows.map((row) => [row.edge_id, Field.EnrollmentAgentRestrictions, row.through_id]),
      );
    }
  }

  /** Of these fields, those that stated the edge once and not by now. */
  #unstated({ stated_by, last_seen, seen_by }: Omit<EdgeRow, 'id' | 'node_id'>, fields: number): number {
    const seen = last_seen < this.#visit.seenAt ? 0 : seen_by;
    return stated_by & fields & ~seen;
  }

  async #insert(db: Transaction, rows: readonly number[][]): Promise<void> {
    await db.bulk('noted_withdrawals', ['edge_id', 'fields', 'through_id'], rows);
  }

  async finish(db: Transaction): Promise<void> {
    for (let last = 0; ; ) {
      const rows = await db.query<EdgeRow & { note: number; fields: number; through_id: number }>(
        `select w.id as note, w.fields, w.through_id, e.id, e.stated_by, e.last_seen, e.seen_by
         from noted_withdrawals w join edges e on e.id = w.edge_id
         where w.id > $1 order by w.id limit ${page}`,
        [last],
      );
      for (const row of rows) await this.#withdraw(db, row);
      const next = rows.at(-1)?.note;
      if (next === undefined) break;
      last = next;
    }
    await db.execute('delete from noted_withdrawals');
  }

  async #withdraw(
    db: Transaction,
    edge: EdgeRow & { readonly fields: number; readonly through_id: number },
  ): Promise<void> {
    let lost = this.#unstated(edge, edge.fields);
    if (edge.through_id !== 0) {
      await db.execute(
        'delete from edge_throughs where edge_id = $1 and through_id = $2 and last_seen < $3',
        [edge.id, edge.through_id, this.#visit.seenAt],
      );
      const other = await db.one('select 1 as found from edge_throughs where edge_id = $1', [edge.id]);
      if (other !== undefined) lost = 0;
    }
    if (lost === 0) return;
    // Not by the bits that were read: the edge may have been noted twice.
    await db.execute('update edges set stated_by = stated_by & $1 where id = $2', [~lost, edge.id]);
    this.withdrawn += await db.execute('delete from edges where id = $1 and stated_by = 0', [edge.id]);
  }
}
