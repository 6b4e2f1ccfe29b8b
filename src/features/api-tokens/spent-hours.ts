import type { FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { formatOffset, hour } from '../../values/time.ts';
import { recordAudit } from '../audit/index.ts';
import { refusal, type SignedHeaders } from './signature.ts';
import { judgeHour } from './signed-hours.ts';
import type { SigningRow } from './store.ts';
import {
  findFirstUse,
  findZone,
  holdToken,
  putRefusal,
  putZone,
  rememberHour,
  type ZoneRow,
} from './zone-store.ts';

const mostKnown = 10_000;
/** One record an hour says that a token's requests are refused, and how many were. */
const recordEveryMs = hour;

/** Refuses genuine signatures that are too old, in whatever zone their date is written (gap 8.5). */
export function createHourCheck(
  deps: Pick<Deps, 'db' | 'clock'>,
): (request: FastifyRequest, token: SigningRow, headers: SignedHeaders, arrivedAt: number) => Promise<void> {
  // Nothing that is learnt later makes a good hour end sooner, so the store is asked once for each.
  const goodUntil = new Map<string, number>();

  return async (request, token, { signedHour, zone }, now) => {
    const known = `${token.id} ${signedHour} ${zone}`;
    if (now < (goodUntil.get(known) ?? 0)) return;
    const signed = { hour: Date.parse(`${signedHour}:00:00Z`), zone };
    const verdict = await deps.db.transaction(async (db) => {
      if (!(await holdToken(db, token.id))) return { ok: false, reason: 'resource not found' } as const;
      const row = await findZone(db, token.id);
      const verdict = judgeHour(
        row && memoryOf(row),
        await findFirstUse(db, token.id, signed.hour),
        signed,
        now,
      );
      if (verdict.ok) {
        await rememberHour(db, token.id, signed.hour, now);
        await putZone(db, token.id, verdict.memory);
        return verdict;
      }
      const { memory } = verdict;
      if (row === undefined || memory === undefined) return verdict;
      const refused = row.refused + 1;
      const isDue = row.recorded_at === null || now - row.recorded_at >= recordEveryMs;
      await putZone(db, token.id, memory);
      await putRefusal(db, token.id, isDue ? 0 : refused, isDue ? now : row.recorded_at);
      if (!isDue) return verdict;
      const origin = {
        actor: { kind: 'anonymous', id: '', name: '' },
        requestId: request.id,
        address: request.kennel?.address ?? '',
      } as const;
      await recordAudit(db, origin, deps.clock(), {
        action: 'RefuseSignature',
        outcome: 'failure',
        fields: {
          token: { id: token.id },
          owner: { id: token.user_id ?? token.client_id, name: token.principal_name ?? token.client_name },
          signed_hour: signedHour,
          zone: formatOffset(zone),
          zone_of_token: formatOffset(row.zone),
          refused_since_last_record: refused,
        },
      });
      return verdict;
    });
    if (!verdict.ok) throw refusal('unauthenticated', verdict.reason, 'RequestDate');
    if (goodUntil.size >= mostKnown) goodUntil.clear();
    goodUntil.set(known, verdict.until);
  };
}

function memoryOf({ zone, claimed_zone, claimed_hour, claimed_since }: ZoneRow) {
  const claim =
    claimed_zone === null || claimed_hour === null || claimed_since === null
      ? undefined
      : { zone: claimed_zone, hour: claimed_hour, since: claimed_since };
  return { zone, claim };
}
