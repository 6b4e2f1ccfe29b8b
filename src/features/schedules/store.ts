import { inList, type Look, type Reader, type Transaction } from '../../db/client.ts';
import { deletedAtColumn, type List } from '../../http/list.ts';
import { type Collection, type CollectionFlag, collectionFlags } from '../jobs/index.ts';

/** A schedule, which the API calls an event. */
export interface EventRow extends Collection {
  readonly id: number;
  readonly client_id: string;
  /** What its jobs are called. */
  readonly title: string;
  /** As it was given. */
  readonly rrule: string;
  /** The first occurrence that has no job yet; null once the rule has ended. */
  readonly next_scheduled_at: number | null;
  /** The latest occurrence that had its job. */
  readonly handled_until: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

const settingColumns = ['title', 'rrule', ...collectionFlags, 'ous', 'domains', 'next_scheduled_at'] as const;
export type EventSettings = Pick<EventRow, (typeof settingColumns)[number]>;

const columns = `id, client_id, ${settingColumns.join(', ')}, handled_until, created_at, updated_at`;

const flagColumns = Object.fromEntries(
  collectionFlags.map((flag) => [flag, { type: 'boolean', sql: flag, neverNull: true } as const]),
);

export const eventList: List = {
  columns: {
    id: { type: 'integer', sql: 'id' },
    client_id: { type: 'uuid', sql: 'client_id', neverNull: true },
    rrule: { type: 'text', sql: 'rrule', neverNull: true },
    next_scheduled_at: { type: 'time', sql: 'next_scheduled_at' },
    ...flagColumns,
    created_at: { type: 'time', sql: 'created_at', neverNull: true },
    updated_at: { type: 'time', sql: 'updated_at', neverNull: true },
    deleted_at: deletedAtColumn,
  },
  select: columns,
  from: 'events',
  key: 'id',
  defaultLimit: 100,
  growth: 'few rows',
};

export function findEvent(db: Reader, id: number): Promise<EventRow | undefined> {
  return db.one<EventRow>(`select ${columns} from events where id = $1`, [id]);
}

/** The schedules of these collectors, each collector's by id. */
export async function listEventsOf(db: Reader, clientIds: readonly string[]): Promise<EventRow[]> {
  if (clientIds.length === 0) return [];
  const ids = inList(clientIds, 1);
  return db.query<EventRow>(
    `select ${columns} from events where client_id in (${ids.sql}) order by client_id, id`,
    ids.params,
  );
}

/** The schedule as it is now; nobody else can change it until the transaction ends. */
export function lockEvent(db: Transaction, id: number): Promise<EventRow | undefined> {
  return db.one<EventRow>(`update events set updated_at = updated_at where id = $1 returning ${columns}`, [
    id,
  ]);
}

/** Likewise, unless it is not due any more: whoever else had it first has seen to it. */
export function lockDueEvent(db: Transaction, id: number, now: number): Promise<EventRow | undefined> {
  return db.one<EventRow>(
    `update events set updated_at = updated_at where id = $1 and next_scheduled_at <= $2 returning ${columns}`,
    [id, now],
  );
}

export interface DueEvent {
  readonly id: number;
  readonly next_scheduled_at: number;
}

/** The schedules that are due, longest first, behind the one given. */
export const dueEventLook: Look = {
  store: 'db',
  sql: 'select count(*) from (select id from events where next_scheduled_at <= $1 limit 1) due',
  due: 'while',
};

export function listDueEvents(db: Reader, now: number, last: DueEvent, limit: number): Promise<DueEvent[]> {
  return db.query<DueEvent>(
    `select id, next_scheduled_at from events
     where next_scheduled_at <= $1 and (next_scheduled_at, id) > ($2, $3)
     order by next_scheduled_at, id limit $4`,
    [now, last.next_scheduled_at, last.id, limit],
  );
}

export async function insertEvent(
  db: Transaction,
  clientId: string,
  settings: EventSettings,
  now: number,
): Promise<EventRow> {
  const places = settingColumns.map((_, index) => `$${index + 3}`).join(', ');
  const row = await db.one<EventRow>(
    `insert into events (client_id, created_at, updated_at, ${settingColumns.join(', ')})
     values ($1, $2, $2, ${places}) returning ${columns}`,
    [clientId, now, ...settingColumns.map((column) => settings[column])],
  );
  if (row === undefined) throw new Error('the schedule is gone');
  return row;
}

export async function updateEvent(
  db: Transaction,
  id: number,
  settings: EventSettings,
  now: number,
): Promise<void> {
  const assignments = settingColumns.map((column, index) => `${column} = $${index + 3}`).join(', ');
  await db.execute(`update events set updated_at = $2, ${assignments} where id = $1`, [
    id,
    now,
    ...settingColumns.map((column) => settings[column]),
  ]);
}

/** Not a change that anybody made, so `updated_at` stays. */
export async function markHandled(
  db: Transaction,
  id: number,
  handledUntil: number,
  next: number | null,
): Promise<void> {
  await db.execute('update events set handled_until = $2, next_scheduled_at = $3 where id = $1', [
    id,
    handledUntil,
    next,
  ]);
}

export function deleteEvent(db: Transaction, id: number): Promise<EventRow | undefined> {
  return db.one<EventRow>(`delete from events where id = $1 returning ${columns}`, [id]);
}

/** What its jobs collect. */
export function collectionOf(event: EventRow): Collection {
  const flags = Object.fromEntries(collectionFlags.map((flag) => [flag, event[flag]]));
  return { ...(flags as Record<CollectionFlag, 0 | 1>), ous: event.ous, domains: event.domains };
}

/** Must come before the collector's jobs are canceled: after it no schedule makes another one. */
export function deleteEventsOf(db: Transaction, clientId: string): Promise<EventRow[]> {
  return db.query<EventRow>(`delete from events where client_id = $1 returning ${columns}`, [clientId]);
}
