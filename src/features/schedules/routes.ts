import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Problem } from '../../errors.ts';
import { readPage } from '../../http/list.ts';
import type { Register } from '../../http/operation.ts';
import { dateTime, Empty, Int32Parameter, published, Struct } from '../../http/schemas.ts';
import { hydrationMembers } from '../jobs/index.ts';
import { readEventDisplays, readWishedScope } from './displays.ts';
import { eventExample, newEventExample } from './examples.ts';
import { ChangedEvent, EventDisplay, NewEvent, Occurrences, toEventDisplay } from './schema.ts';
import { changeEvent, createEventOf, getEvent, occurrencesOf, removeEvent } from './service.ts';
import { type EventRow, eventList } from './store.ts';

const tag = 'Collection';
const edition = 'enterprise';
const path = Struct({ event_id: Int32Parameter() });
const answer = Struct({ data: EventDisplay });
const answerExample = { data: eventExample };
const noSuchEvent = 'schedule 3 does not exist';
const badRule = 'rrule is not a usable recurrence rule: DTSTART is required';
const { client_id: _, ...changeExample } = newEventExample;
const mostOccurrences = 100;

export function registerSchedules(register: Register, deps: Deps): void {
  register({
    id: 'ListEvents',
    method: 'GET',
    url: '/api/v2/events',
    tag,
    summary: 'List the schedules of collectors',
    access: { permission: 'clients.Read' },
    edition,
    query: Struct(hydrationMembers),
    list: eventList,
    answer: Struct({
      count: Type.Integer({ description: 'How many there are on all pages' }),
      limit: Type.Integer(),
      skip: Type.Integer(),
      data: Type.Array(EventDisplay),
    }),
    answerExample: { count: 1, limit: 100, skip: 0, data: [eventExample] },
    handle: async ({ db, graph, list, query }) => {
      const { count, rows } = await db.snapshot((db) => readPage<EventRow>(db, eventList, list));
      return {
        count,
        limit: list.limit ?? rows.length,
        skip: list.skip,
        data: await readEventDisplays(graph, rows, query),
      };
    },
  });

  register({
    id: 'CreateEvent',
    method: 'POST',
    url: '/api/v2/events',
    tag,
    summary: 'Schedule collections of a collector',
    rules: ['`rrule` is an RFC 5545 rule with at least 5 minutes between any two occurrences'],
    access: { permission: 'clients.Manage' },
    edition,
    body: NewEvent,
    bodyExample: newEventExample,
    answer,
    answerExample,
    errors: {
      bad_request: badRule,
      not_found: 'client 0b1f8c9e-3a57-4f2b-8a35-57b1f0c2d9aa does not exist',
    },
    handle: async ({ db, graph, origin, body: { client_id, ...wish } }) => {
      const scope = await readWishedScope(graph, wish);
      return { data: toEventDisplay(await createEventOf(deps, db, origin, client_id, wish), scope) };
    },
  });

  register({
    id: 'GetEvent',
    method: 'GET',
    url: '/api/v2/events/{event_id}',
    tag,
    summary: 'Get a schedule',
    access: { permission: 'clients.Read' },
    edition,
    path,
    query: Struct(hydrationMembers),
    answer,
    answerExample,
    errors: { not_found: noSuchEvent },
    handle: async ({ db, graph, path, query }) => {
      const event = await getEvent(db, path.event_id);
      const [data = toEventDisplay(event, { ous: [], domains: [] })] = await readEventDisplays(
        graph,
        [event],
        query,
      );
      return { data };
    },
  });

  register({
    id: 'UpdateEvent',
    method: 'PUT',
    url: '/api/v2/events/{event_id}',
    tag,
    summary: 'Replace the settings of a schedule',
    description:
      'What is left out is unset. A new rule counts from now; jobs that exist already stay as they are.',
    rules: [
      '`rrule` is an RFC 5545 rule with at least 5 minutes between any two occurrences',
      '`client_id` is the one that the schedule has',
    ],
    access: { permission: 'clients.Manage' },
    edition,
    path,
    body: ChangedEvent,
    bodyExample: changeExample,
    answer,
    answerExample,
    errors: { bad_request: badRule, not_found: noSuchEvent },
    handle: async ({ db, graph, origin, path, body }) => {
      const scope = await readWishedScope(graph, body);
      return { data: toEventDisplay(await changeEvent(deps, db, origin, path.event_id, body), scope) };
    },
  });

  register({
    id: 'DeleteEvent',
    method: 'DELETE',
    url: '/api/v2/events/{event_id}',
    tag,
    summary: 'Delete a schedule and cancel its jobs that no collector has taken',
    access: { permission: 'clients.Manage' },
    edition,
    path,
    answer: Empty,
    errors: { not_found: noSuchEvent },
    handle: ({ db, origin, path }) => removeEvent(deps, db, origin, path.event_id),
  });

  register({
    id: 'ListEventOccurrences',
    method: 'GET',
    url: '/api/v2/events/{event_id}/occurrences',
    tag,
    summary: 'When a schedule comes next',
    access: { permission: 'clients.Read' },
    edition,
    path,
    query: Struct({
      limit: Type.Optional(
        Int32Parameter({ minimum: 1, default: 10, ...published({ maximum: mostOccurrences }) }),
      ),
    }),
    checkQuery: ({ limit = 1 }): Problem[] =>
      limit > mostOccurrences
        ? [{ context: 'limit', message: `limit must be at most ${mostOccurrences}, but is ${limit}` }]
        : [],
    answer: Struct({ data: Occurrences }),
    answerExample: { data: ['2026-01-06T01:30:00Z', '2026-01-07T01:30:00Z'] },
    errors: { not_found: noSuchEvent },
    volatile: true,
    handle: async ({ db, path, query: { limit = 10 } }) => {
      const event = await getEvent(db, path.event_id);
      return { data: occurrencesOf(event, deps.clock(), limit).map(dateTime) };
    },
  });
}
