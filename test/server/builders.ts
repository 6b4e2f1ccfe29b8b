import { randomBytes, randomUUID } from 'node:crypto';
import { commandLine } from '../../src/caller.ts';
import type { Deps } from '../../src/deps.ts';
import { insertToken, keyOwner } from '../../src/features/api-tokens/index.ts';
import { createSession, digestOf, roles, Tokens } from '../../src/features/auth/index.ts';
import { insertClient } from '../../src/features/clients/registry/index.ts';
import {
  insertJob,
  type JobStatus,
  jobStatus,
  type NewJob,
  statusWords,
} from '../../src/features/jobs/index.ts';
import { insertSamlProvider } from '../../src/features/saml/index.ts';
import { createEvent, type EventRow, type EventWish } from '../../src/features/schedules/index.ts';
import { insertUser, type NewUser, putSecret } from '../../src/features/users/index.ts';
import { seal } from '../../src/sealed.ts';
import type { SigningToken } from '../collectors/signing.ts';

const hour = 3_600_000;
let serial = 0;

export type RoleName = 'Administrator' | 'User' | 'Read-Only' | 'Upload-Only' | 'Power User' | 'Auditor';

export function roleId(name: RoleName): number {
  const role = roles.find((candidate) => candidate.name === name);
  if (role === undefined) throw new Error(`there is no role ${name}`);
  return role.id;
}

export interface MadeUser {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

/** A digest made once per process: hashing a password for every user would dominate the tests. */
let sharedDigest: Promise<string> | undefined;
export const sharedPassword = 'Correct-horse-battery-9';

type UserOptions = Partial<NewUser> & { secret?: 'usable' | 'expired' | 'locked' | 'none' };

/** A user with a session. With a provider there is no local secret unless one is asked for. */
export async function makeUser(
  deps: Deps,
  role: RoleName = 'Administrator',
  options: UserOptions = {},
): Promise<MadeUser> {
  sharedDigest ??= digestOf(sharedPassword);
  const digest = await sharedDigest;
  const { secret = options.ssoProviderId == null ? 'usable' : 'none', ...user } = options;
  const name = options.principalName ?? `user-${++serial}`;
  const now = deps.clock();
  const id = await deps.db.transaction(async (db) => {
    const id = await insertUser(db, { roleId: roleId(role), ...user, principalName: name }, now);
    if (secret !== 'none') {
      const expiresAt = secret === 'usable' ? now + 1000 * hour : now - hour;
      await putSecret(db, id, { digest: secret === 'locked' ? undefined : digest, expiresAt }, now);
    }
    return id;
  });
  return { id, name, token: await makeToken(deps, 'user', id) };
}

export async function makeToken(
  deps: Deps,
  audience: 'user' | 'client',
  subject: string,
  lifetime = 8 * hour,
): Promise<string> {
  const now = deps.clock();
  const expiresAt = now + lifetime;
  const sessionId = await deps.db.transaction((db) => createSession(db, audience, subject, now, expiresAt));
  return new Tokens(deps.keys, deps.instanceId, deps.clock).sign(
    { audience, subject, sessionId, expiresAt },
    now,
  );
}

export async function makeClient(deps: Deps): Promise<MadeUser> {
  const name = `collector-${++serial}`;
  const id = await deps.db.transaction((db) => insertClient(db, { name, type: 'sharphound' }, deps.clock()));
  return { id, name, token: await makeToken(deps, 'client', id) };
}

/** A key pair to sign requests with, for a user or a collector. */
export async function makeSigningToken(
  deps: Deps,
  owner: { userId: string } | { clientId: string },
  options: { replayProtection?: boolean } = {},
): Promise<SigningToken> {
  const id = randomUUID();
  const key = randomBytes(40).toString('base64');
  await deps.db.transaction((db) =>
    insertToken(
      db,
      {
        id,
        owner,
        name: 'test',
        sealedKey: seal(deps.keys, keyOwner(id), key),
        replayProtection: options.replayProtection ?? false,
        expiresAt: null,
        createdBy: null,
      },
      deps.clock(),
    ),
  );
  return { id, key };
}

export function makeProvider(
  deps: Deps,
  name = `idp-${++serial}`,
): Promise<{ id: number; ssoProviderId: number }> {
  return deps.db.transaction((db) =>
    insertSamlProvider(
      db,
      { name, idpIssuerUri: `https://${name}.example/metadata`, idpSsoUri: `https://${name}.example/sso` },
      deps.clock(),
    ),
  );
}

/** A job of a collector; a started one started an hour ago unless told otherwise. */
export function makeJob(
  deps: Deps,
  client: { id: string; name: string },
  status: JobStatus = jobStatus.ready,
  options: Partial<NewJob> = {},
): Promise<number> {
  const now = deps.clock();
  const started = status !== jobStatus.ready;
  const ended = started && status !== jobStatus.running;
  return deps.db.transaction((db) =>
    insertJob(db, {
      client_id: client.id,
      client_name: client.name,
      event_id: null,
      event_title: '',
      status,
      status_message: statusWords[status],
      reported_status: null,
      execution_time: now - 2 * hour,
      start_time: started ? now - hour : null,
      end_time: ended ? now : null,
      last_ingest: null,
      log_path: null,
      session_collection: 1,
      local_group_collection: 0,
      ad_structure_collection: 1,
      cert_services_collection: 0,
      ca_registry_collection: 0,
      dc_registry_collection: 0,
      all_trusted_domains: 0,
      domain_controller: null,
      ous: '[]',
      domains: '[]',
      created_at: now - 3 * hour,
      updated_at: now - 3 * hour,
      ...options,
    }),
  );
}

/** A schedule of a collector, as of the clock's time. */
export function makeEvent(
  deps: Pick<Deps, 'db' | 'clock'>,
  client: { id: string; name: string },
  rrule: string,
  wish: Partial<EventWish> = {},
): Promise<EventRow> {
  const collector = { ...client, type: 'sharphound' };
  return deps.db.transaction((db) =>
    createEvent(db, commandLine, collector, { session_collection: true, ...wish, rrule }, deps.clock()),
  );
}

/** The rows of the audit log, newest first. */
export async function auditRows(deps: Deps): Promise<
  {
    action: string;
    outcome: string;
    fields: Record<string, unknown>;
    actor_name: string;
    request_id: string;
  }[]
> {
  const rows = await deps.db.query<{
    action: string;
    outcome: string;
    fields: string;
    actor_name: string;
    request_id: string;
  }>('select action, outcome, fields, actor_name, request_id from audit_log order by id desc');
  return rows.map((row) => ({ ...row, fields: JSON.parse(row.fields) }));
}

/** The records of what was changed: without those of writes that were refused. */
export async function changeRows(deps: Deps): ReturnType<typeof auditRows> {
  return (await auditRows(deps)).filter(({ action }) => action !== 'RefusedWrite');
}
