import type { ClientCaller, Origin } from '../../caller.ts';
import type { Db } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { cleanText } from '../../values/text.ts';
import { type Host, insertClientError, recordCheckin, updateClient } from '../clients/index.ts';
import type { ErrorReport, HostReport } from './requests.ts';
import { mustLock } from './service.ts';

const longestError = 4000;

/** A collector tells about itself when it starts. What it leaves out stays as it was. */
export function recordHost(deps: Deps, db: Db, caller: ClientCaller, report: HostReport): Promise<void> {
  return db.transaction(async (db) => {
    const client = await mustLock(db, caller.id);
    const now = deps.clock();
    const host: Host = {
      ip_address: report.address ?? client.ip_address,
      hostname: report.hostname ?? client.hostname,
      configured_user: report.username ?? client.configured_user,
      version: report.version ?? client.version,
      user_sid: report.usersid === undefined ? client.user_sid : report.usersid || null,
    };
    const isNews = (Object.keys(host) as (keyof Host)[]).some((member) => host[member] !== client[member]);
    if (isNews) await updateClient(db, client, host, now);
    await recordCheckin(db, client.id, now);
  });
}

/** Logged, and kept for the log of the job that it was about. */
export async function recordError(
  deps: Deps,
  db: Db,
  caller: ClientCaller,
  origin: Origin,
  report: ErrorReport,
): Promise<void> {
  const message = oneLine(report);
  await db.transaction(async (db) => {
    const now = deps.clock();
    await recordCheckin(db, caller.id, now);
    await insertClientError(db, caller.id, message, now);
  });
  deps.log.warn(
    { request_id: origin.requestId, client_id: caller.id, client: caller.name, error: message },
    'a collector reported an error',
  );
}

function oneLine({ task_error, additional }: ErrorReport): string {
  let text = escaped(task_error);
  for (const [name, value] of Object.entries(additional ?? {})) {
    if (text.length > longestError) break;
    text += ` ${escaped(name)}=${escaped(value)}`;
  }
  return text.length <= longestError ? text : `${cleanText(text.slice(0, longestError - 1))}…`;
}

/** Bounded, and nothing in it can start a line of its own or steer a terminal. */
function escaped(text: string): string {
  return text
    .slice(0, longestError + 1)
    .replace(
      /[\p{Cc}\p{Zl}\p{Zp}]/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
