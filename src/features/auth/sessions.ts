import { randomUUID } from 'node:crypto';
import { serverItself } from '../../caller.ts';
import { unlessClockHeld } from '../../clock-hold.ts';
import type { Reader, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { day, formatRfc3339 } from '../../values/time.ts';
import type { Task } from '../../worker/worker.ts';
import { recordAudit } from '../audit/index.ts';
import type { Audience } from './tokens.ts';

export interface SessionRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly client_id: string | null;
  readonly expires_at: number;
  readonly ended_at: number | null;
  readonly principal_name: string | null;
  readonly role_id: number | null;
  readonly sso_provider_id: number | null;
  readonly is_disabled: number | null;
  readonly secret_expires_at: number | null;
  readonly client_name: string | null;
}

/** A session with what is needed to decide what its caller may do. */
export function findSession(db: Reader, id: string): Promise<SessionRow | undefined> {
  return db.one<SessionRow>(
    `select s.id, s.user_id, s.client_id, s.expires_at, s.ended_at,
            u.principal_name, u.role_id, u.sso_provider_id, u.is_disabled,
            a.expires_at as secret_expires_at, c.name as client_name
     from sessions s
     left join users u on u.id = s.user_id
     left join auth_secrets a on a.user_id = u.id
     left join clients c on c.id = s.client_id
     where s.id = $1`,
    [id],
  );
}

export async function createSession(
  db: Transaction,
  audience: Audience,
  subject: string,
  now: number,
  expiresAt: number,
): Promise<string> {
  const id = randomUUID();
  await db.execute(
    'insert into sessions (id, user_id, client_id, created_at, expires_at) values ($1, $2, $3, $4, $5)',
    [id, audience === 'user' ? subject : null, audience === 'client' ? subject : null, now, expiresAt],
  );
  return id;
}

export async function endSession(db: Transaction, id: string, now: number): Promise<void> {
  await db.execute('update sessions set ended_at = $2 where id = $1 and ended_at is null', [id, now]);
}

/** Ends every session of a user, but for the one that is named. */
export async function endSessionsOfUser(
  db: Transaction,
  userId: string,
  now: number,
  except = '',
): Promise<void> {
  await db.execute('update sessions set ended_at = $2 where user_id = $1 and ended_at is null and id <> $3', [
    userId,
    now,
    except,
  ]);
}

export async function endSessionsOfClient(db: Transaction, clientId: string, now: number): Promise<void> {
  await db.execute('update sessions set ended_at = $2 where client_id = $1 and ended_at is null', [
    clientId,
    now,
  ]);
}

/** For a collector that is about to be deleted. */
export async function deleteSessionsOfClient(db: Transaction, clientId: string): Promise<void> {
  await db.execute('delete from sessions where client_id = $1', [clientId]);
}

export async function endSessionsOfProvider(
  db: Transaction,
  ssoProviderId: number,
  now: number,
): Promise<void> {
  await db.execute(
    `update sessions set ended_at = $2
     where ended_at is null and user_id in (select id from users where sso_provider_id = $1)`,
    [ssoProviderId, now],
  );
}

const stepSize = 500;
const stepsPerRun = 20;

/** Deletes sessions that ended or expired longer ago than the operator wants to keep them, in small steps. */
export async function forgetOldSessions({ db, clock, settings }: Deps): Promise<void> {
  // By whole days: an hourly run would write an hourly record of what it deleted.
  const before = (Math.floor(clock() / day) - settings.sessionRetentionDays) * day;
  for (const column of ['expires_at', 'ended_at']) {
    for (let step = 0; step < stepsPerRun; step += 1) {
      const forgotten = await db.transaction(async (db) => {
        const count = await db.execute(
          `delete from sessions where id in (select id from sessions where ${column} < $1 limit ${stepSize})`,
          [before],
        );
        if (count === 0) return 0;
        const fields = { count, [column]: { before: formatRfc3339(before) } };
        await recordAudit(db, serverItself, clock(), { action: 'DeleteOldSessions', fields });
        return count;
      });
      if (forgotten < stepSize) break;
    }
  }
}

export const sessionTasks: readonly Task[] = [
  { name: 'forget old sessions', everyMs: 3_600_000, run: unlessClockHeld(forgetOldSessions) },
];
