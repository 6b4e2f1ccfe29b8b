import Type, { type Static } from 'typebox';
import { DateTime, dateTime, Struct, timestampMembers, timestamps, Uuid } from '../../http/schemas.ts';
import {
  type CollectionFlag,
  collectionFlags,
  collectionMembers,
  type Scope,
  TaskDomain,
  TaskOu,
} from '../jobs/index.ts';
import type { EventRow } from './store.ts';

/** What a schedule is given. */
export const eventMembers = {
  rrule: Type.String({
    description:
      'RFC 5545: a DTSTART and an RRULE line, and EXDATE lines if need be. DTSTART is in UTC, or local with a TZID. At least 5 minutes between any two occurrences.',
  }),
  ...collectionMembers,
};
export const ChangedEvent = Struct({
  client_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'May be sent back; a schedule stays with its collector' }),
  ),
  ...eventMembers,
});
export const NewEvent = Struct({ client_id: Uuid, ...eventMembers });

export type EventWish = Omit<Static<typeof ChangedEvent>, 'client_id'>;

const flags = Object.fromEntries(collectionFlags.map((flag) => [flag, Type.Boolean()])) as Record<
  CollectionFlag,
  ReturnType<typeof Type.Boolean>
>;
const shared = {
  client_id: Uuid,
  rrule: Type.String(),
  ...flags,
  next_scheduled_at: Type.String({
    format: 'date-time',
    description: '0001-01-01T00:00:00Z once the rule has ended',
  }),
};
const id = Type.Integer({ format: 'int32' });

/** A schedule as its collector shows it. */
export const Event = Struct(
  {
    id,
    ...timestampMembers,
    ...shared,
    ous: Type.Array(Type.String()),
    domains: Type.Array(Type.String()),
  },
  { title: 'Event' },
);

/** Without `hydrate_ous` or `hydrate_domains` the scope is told by object ids alone. */
export const EventDisplay = Struct(
  {
    id,
    ...shared,
    ous: Type.Union([Type.Array(TaskOu), Type.Array(Type.String())]),
    domains: Type.Union([Type.Array(TaskDomain), Type.Array(Type.String())]),
  },
  { title: 'EventDisplay' },
);

export const Occurrences = Type.Array(DateTime);

export function toEventView(row: EventRow): Static<typeof Event> {
  return { id: row.id, ...timestamps(row), ...sharedView(row), ...idsOf(row) };
}

export function toEventDisplay(
  row: EventRow,
  scope: { ous: Scope['ous'] | string[]; domains: Scope['domains'] | string[] },
): Static<typeof EventDisplay> {
  return { id: row.id, ...sharedView(row), ous: scope.ous, domains: scope.domains };
}

/** The object ids of a schedule's scope. */
export function idsOf(row: Pick<EventRow, 'ous' | 'domains'>): { ous: string[]; domains: string[] } {
  return { ous: JSON.parse(row.ous), domains: JSON.parse(row.domains) };
}

function sharedView(row: EventRow) {
  const flagViews = Object.fromEntries(collectionFlags.map((flag) => [flag, row[flag] !== 0]));
  return {
    client_id: row.client_id,
    rrule: row.rrule,
    ...(flagViews as Record<CollectionFlag, boolean>),
    next_scheduled_at: dateTime(row.next_scheduled_at),
  };
}

/** For the audit log. */
export function recordedEvent(row: EventRow): Record<string, unknown> {
  const { client_id: _, next_scheduled_at: __, ...settings } = sharedView(row);
  return { ...settings, ...idsOf(row) };
}
