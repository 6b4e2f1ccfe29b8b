import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import type { Caller, Origin } from '../../caller.ts';
import { type Db, type Transaction, UniqueViolation } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { quoted } from '../../http/parameters.ts';
import { seal } from '../../sealed.ts';
import { hasHiddenCharacters } from '../../values/text.ts';
import {
  deleteTokensOf,
  findTokensOfClients,
  insertToken,
  keyOwner,
  type NewApiToken,
  newKey,
  toTokenView,
} from '../api-tokens/index.ts';
import { changesBetween, recordAudit } from '../audit/index.ts';
import { deleteSessionsOfClient, endSessionsOfClient } from '../auth/index.ts';
import { cancelJobs } from '../jobs/index.ts';
import { createEvent, deleteEventsOf } from '../schedules/index.ts';
import { noSuchClient, readClient } from './read.ts';
import {
  type ClientRow,
  deleteClient,
  findClientByName,
  insertClient,
  lockClient,
  updateClient,
} from './registry/index.ts';
import type { CreateClient, UpdateClient } from './requests.ts';
import type { Client, NewClient } from './schema.ts';

/** Registers a collector with its schedules, and makes the token whose key only this answer tells. */
export function createCollector(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  { name: given, type, domain_controller, events = [] }: CreateClient,
): Promise<Static<typeof NewClient>> {
  const name = tidyName(given);
  return db.transaction(async (db) => {
    const now = deps.clock();
    await refuseTaken(db, name);
    const domainController = domain_controller || null;
    const id = await insertClient(db, { name, type, domain_controller: domainController }, now).catch(
      explainTaken(name),
    );
    const token = await makeToken(deps, db, caller, { id, name }, now);
    await recordAudit(db, origin, now, {
      action: 'CreateClient',
      fields: { client: { id, name, type, domain_controller: domainController }, token: { id: token.id } },
    });
    const client = await mustLock(db, id);
    for (const [index, event] of events.entries())
      await createEvent(db, origin, client, event, now, `events.${index}.`);
    return { ...(await readClient(db, id)), token };
  });
}

export function changeCollector(
  deps: Deps,
  db: Db,
  origin: Origin,
  id: string,
  { name: given, ...wish }: UpdateClient,
): Promise<Static<typeof Client>> {
  const name = tidyName(given);
  return db.transaction(async (db) => {
    const before = await mustLock(db, id);
    if (name !== before.name) await refuseTaken(db, name);
    const now = deps.clock();
    const change = {
      name,
      domain_controller:
        wish.domain_controller === undefined ? before.domain_controller : wish.domain_controller || null,
    };
    const changes = changesBetween(
      { name: before.name, domain_controller: before.domain_controller },
      change,
    );
    if (Object.keys(changes).length === 0) return readClient(db, id);
    await updateClient(db, before, change, now).catch(explainTaken(name));
    // Callers are known by name, too.
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'UpdateClient',
      fields: {
        client: { id, name: before.name },
        changes,
      },
    });
    return readClient(db, id);
  });
}

function tidyName(given: string): string {
  const name = given.trim();
  if (name !== '' && !hasHiddenCharacters(name)) return name;
  throw new AppError(
    'bad_request',
    'name must not be blank, and must not have control or invisible characters',
    { context: 'name' },
  );
}

/** Whatever the collector could do or was to do ends with it; what it did stays. */
export function removeCollector(deps: Deps, db: Db, origin: Origin, id: string): Promise<void> {
  return db.transaction(async (db) => {
    const client = await mustLock(db, id);
    const now = deps.clock();
    // Tokens first: whoever is just being given a session holds the token's row.
    await deleteTokensOf(db, { clientId: id });
    await deleteSessionsOfClient(db, id);
    // Schedules before jobs: after it no schedule makes another one.
    const events = await deleteEventsOf(db, id);
    const canceled = await cancelJobs(db, origin, { clientId: id }, 'Canceled: its client was deleted', now);
    await deleteClient(db, id);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'DeleteClient',
      fields: {
        client: { id, name: client.name, type: client.type },
        events: events.map((event) => event.id),
        canceled_jobs: canceled,
      },
    });
  });
}

/** gap 8.1: the old key is refused from now on, and so is every session that was had with it. */
export function rotateToken(
  deps: Deps,
  db: Db,
  caller: Caller,
  origin: Origin,
  id: string,
): Promise<Static<typeof NewApiToken>> {
  return db.transaction(async (db) => {
    const client = await mustLock(db, id);
    const now = deps.clock();
    const before = (await findTokensOfClients(db, [id])).get(id);
    await deleteTokensOf(db, { clientId: id });
    await endSessionsOfClient(db, id, now);
    const token = await makeToken(deps, db, caller, client, now);
    await deps.changes.announce(db);
    await recordAudit(db, origin, now, {
      action: 'RotateClientToken',
      fields: {
        client: { id, name: client.name },
        before: { token_id: before?.id ?? null },
        after: { token_id: token.id },
      },
    });
    return token;
  });
}

async function makeToken(
  deps: Deps,
  db: Transaction,
  caller: Caller,
  client: Pick<ClientRow, 'id' | 'name'>,
  now: number,
): Promise<Static<typeof NewApiToken>> {
  const id = randomUUID();
  const key = newKey();
  await insertToken(
    db,
    {
      id,
      owner: { clientId: client.id },
      name: client.name,
      sealedKey: seal(deps.keys, keyOwner(id), key),
      // gap 8.5: deployed collectors send identical requests again.
      replayProtection: false,
      expiresAt: null,
      createdBy: caller.id,
    },
    now,
  );
  const row = (await findTokensOfClients(db, [client.id])).get(client.id);
  if (row === undefined) throw new Error('the token is gone');
  return { ...toTokenView(row), key };
}

export async function mustLock(db: Transaction, id: string): Promise<ClientRow> {
  const client = await lockClient(db, id);
  if (client === undefined) throw noSuchClient(id);
  return client;
}

async function refuseTaken(db: Transaction, name: string): Promise<void> {
  if ((await findClientByName(db, name)) !== undefined) throw taken(name);
}

/** Somebody else was faster. */
function explainTaken(name: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof UniqueViolation ? taken(name) : error;
  };
}

function taken(name: string): AppError {
  return new AppError('conflict', `there is a client called ${quoted(name)} already`, { context: 'name' });
}
