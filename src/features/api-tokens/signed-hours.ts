import { formatOffset, hour } from '../../values/time.ts';

/**
 * What is known of a token's zone. Only the local hour is signed; neither its minutes nor its zone are, so a date is a
 * claim that whoever sends the request again can change (gap 8.5).
 */
export interface ZoneMemory {
  /** Of its good requests, in minutes east of UTC. */
  readonly zone: number;
  /** A zone further west that good signatures have named since then, while it is not believed yet. */
  readonly claim: ZoneClaim | undefined;
}

export interface ZoneClaim {
  readonly zone: number;
  /** The signed hour of the first such request, as if it were in UTC. */
  readonly hour: number;
  readonly since: number;
}

export interface SignedHour {
  /** The signed hour, as if it were in UTC: epoch milliseconds. */
  readonly hour: number;
  /** The zone that the date names, which is not signed. */
  readonly zone: number;
}

export type Verdict =
  | { readonly ok: true; readonly memory: ZoneMemory; readonly until: number }
  | { readonly ok: false; readonly memory: ZoneMemory | undefined; readonly reason: string };

/** How long a signature is good for at most, and how long a zone further west must be claimed to be believed. */
export const lifetimeMs = 2 * hour;

/**
 * Whether a genuine signature is young enough. A signed hour is over two hours after it began in the token's zone, and
 * two hours after it was first used, whatever zone the date names. Nothing old can seem to come from a zone further
 * east, so such a zone is believed at once, and a change by an hour fits the old zone for as long as it takes to learn
 * the new one. A zone further west is how an old request is made to look new: it is believed once the token has
 * signed hours of it for two hours, with nothing from the former zone in between.
 */
export function judgeHour(
  memory: ZoneMemory | undefined,
  firstUsed: number | undefined,
  { hour: signed, zone }: SignedHour,
  now: number,
): Verdict {
  if (firstUsed !== undefined && now >= firstUsed + lifetimeMs) {
    const reason =
      'its hour was signed and used more than two hours ago. After a move to a zone further west this ends by itself when local time has passed the last hour that was used before the move';
    return { ok: false, memory, reason };
  }
  const isNewHour = firstUsed === undefined;
  const accept = (next: ZoneMemory): Verdict => ({
    ok: true,
    memory: next,
    until: Math.min(
      (firstUsed ?? now) + lifetimeMs,
      beganAt(signed, Math.max(next.zone, memory?.zone ?? next.zone)) + lifetimeMs,
    ),
  });
  if (memory === undefined) return accept({ zone, claim: undefined });
  if (now < beganAt(signed, memory.zone) + lifetimeMs) {
    // An hour that was used before may be sent again by anybody: it teaches nothing.
    if (isNewHour) return accept({ zone, claim: undefined });
    return accept(zone === memory.zone ? { zone, claim: undefined } : memory);
  }
  const claim =
    memory.claim?.zone === zone && memory.claim.hour <= signed
      ? memory.claim
      : { zone, hour: signed, since: now };
  if (isNewHour && signed - claim.hour >= lifetimeMs && now - claim.since >= lifetimeMs)
    return accept({ zone, claim: undefined });
  const reason = `in the zone of this token's requests, ${formatOffset(memory.zone)}, its hour began more than two hours ago, and the date names ${formatOffset(zone)}. A client that has moved there is taken again after two hours, or at once with a new key; programs in different zones need a token each`;
  return { ok: false, memory: { zone: memory.zone, claim }, reason };
}

function beganAt(signedHour: number, zone: number): number {
  return signedHour - zone * 60_000;
}
