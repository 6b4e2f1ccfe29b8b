import type { ClientCaller, Origin } from '../../caller.ts';
import type { Db, Transaction } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { cleanText, onOneLine } from '../../values/text.ts';
import { type Host, insertClientError, recordCheckin, updateClient } from './registry/index.ts';
import type { ErrorReport, HostReport } from './requests.ts';
import { mustLock } from './service.ts';

const longestFact = 250;
const longestError = 4000;

/** A collector tells about itself when it starts. What it leaves out stays as it was. */
export function recordHost<T>(
  deps: Deps,
  db: Db,
  caller: ClientCaller,
  report: HostReport,
  read: (db: Transaction) => Promise<T>,
): Promise<T> {
  return db.transaction(async (db) => {
    const client = await mustLock(db, caller.id);
    const now = deps.clock();
    const host: Host = {
      ip_address: told(report.address) ?? client.ip_address,
      hostname: told(report.hostname) ?? client.hostname,
      configured_user: told(report.username) ?? client.configured_user,
      version: told(report.version) ?? client.version,
      user_sid: report.usersid == null ? client.user_sid : told(report.usersid) || null,
    };
    const isNews = (Object.keys(host) as (keyof Host)[]).some((member) => host[member] !== client[member]);
    if (isNews) await updateClient(db, client, host, now);
    await recordCheckin(db, client.id, now);
    return read(db);
  });
}

/** Shortened and not refused: a deployed collector gives up when it is. Null is what is left out. */
function told(text: string | null | undefined): string | undefined {
  return text == null ? undefined : cleanText(text.slice(0, longestFact));
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
    text += ` ${escaped(name)}=${escaped(typeof value === 'string' ? value : JSON.stringify(value))}`;
  }
  return text.length <= longestError ? text : `${cleanText(text.slice(0, longestError - 1))}…`;
}

function escaped(text: string): string {
  return onOneLine(text.slice(0, longestError + 1));
}
