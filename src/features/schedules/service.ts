import type { Origin } from '../../caller.ts';
import type { Db, Reader, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { nextOccurrences } from '../../values/occurrences.ts';
import { changesBetween, recordAudit } from '../audit/index.ts';
import { findClient, lockClient } from '../clients/registry/index.ts';
import { cancelJobs } from '../jobs/index.ts';
import { parseRule } from './rule.ts';
import { type EventWish, recordedEvent } from './schema.ts';
import { checkRule, readEventSettings } from './settings.ts';
import { deleteEvent, type EventRow, findEvent, insertEvent, lockEvent, updateEvent } from './store.ts';

type Scheduled = { readonly id: string; readonly name: string; readonly type: string };

export async function getEvent(db: Reader, id: number): Promise<EventRow> {
  return (await findEvent(db, id)) ?? noSuchEvent(id);
}

/** A schedule for a collector that the transaction has made or locked; `at` is where in the body: `events.0.` */
export async function createEvent(
  db: Transaction,
  origin: Origin,
  client: Scheduled,
  wish: EventWish,
  now: number,
  at = '',
): Promise<EventRow> {
  const settings = readEventSettings(wish, client.type, now, { at });
  const event = await insertEvent(db, client.id, settings, now);
  await recordAudit(db, origin, now, {
    action: 'CreateEvent',
    fields: { event_id: event.id, client: nameOf(client), after: recordedEvent(event) },
  });
  return event;
}

export function createEventOf(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  origin: Origin,
  clientId: string,
  wish: EventWish,
): Promise<EventRow> {
  return db.transaction(async (db) => {
    const client = await lockClient(db, clientId.toLowerCase());
    const now = deps.clock();
    if (client === undefined) {
      checkRule(wish.rrule, now);
      throw new AppError('not_found', `client ${clientId} does not exist`, { context: 'client_id' });
    }
    return createEvent(db, origin, client, wish, now);
  });
}

export function changeEvent(
  deps: Pick<Deps, 'clock'>,
  db: Db,
  origin: Origin,
  id: number,
  { client_id: clientId, ...wish }: EventWish & { readonly client_id?: string },
): Promise<EventRow> {
  return db.transaction(async (db) => {
    const before = (await lockEvent(db, id)) ?? noSuchEvent(id);
    if (clientId !== undefined && clientId.toLowerCase() !== before.client_id) {
      throw new AppError('bad_request', 'client_id can not be changed: make a schedule for that collector', {
        context: 'client_id',
      });
    }
    const client = await clientOf(db, before);
    const now = deps.clock();
    const settings = readEventSettings(wish, client.type, now, { before });
    const event = { ...before, ...settings, updated_at: now };
    const changes = changesBetween(recordedEvent(before), recordedEvent(event));
    if (Object.keys(changes).length === 0) return before;
    await updateEvent(db, id, settings, now);
    await recordAudit(db, origin, now, {
      action: 'UpdateEvent',
      fields: {
        event_id: id,
        client: nameOf(client),
        changes,
      },
    });
    return event;
  });
}

/** Jobs that its collector has taken go on; those that wait are canceled. */
export function removeEvent(deps: Pick<Deps, 'clock'>, db: Db, origin: Origin, id: number): Promise<void> {
  return db.transaction(async (db) => {
    // The schedule goes first: after that no job can be added to it.
    const event = (await deleteEvent(db, id)) ?? noSuchEvent(id);
    const now = deps.clock();
    const reason = `Canceled because schedule ${id} was deleted`;
    const canceled = await cancelJobs(db, origin, { eventId: id }, reason, now);
    await recordAudit(db, origin, now, {
      action: 'DeleteEvent',
      fields: {
        event_id: id,
        client: nameOf(await clientOf(db, event)),
        before: recordedEvent(event),
        canceled_jobs: canceled,
      },
    });
  });
}

/** The occurrences that are still to come. */
export function occurrencesOf(event: EventRow, now: number, limit: number): number[] {
  return nextOccurrences(parseRule(event.rrule), Math.max(now, event.handled_until ?? now), limit);
}

async function clientOf(db: Reader, event: EventRow): Promise<Scheduled> {
  const client = await findClient(db, event.client_id);
  if (client === undefined) throw new Error('a schedule has no collector');
  return client;
}

function nameOf({ id, name }: Scheduled): { id: string; name: string } {
  return { id, name };
}

function noSuchEvent(id: number): never {
  throw new AppError('not_found', `schedule ${id} does not exist`, { context: 'event_id' });
}
