import { createHmac } from 'node:crypto';
import type { Keys } from '../../keys.ts';

/** A place in the chain: before the first record it is `start`. */
export interface Link {
  readonly position: number;
  readonly mac: string;
}

export const start: Link = { position: 0, mac: '' };

/** Everything that a record says, as the store gives it back. */
export interface RecordRow {
  readonly id: number;
  readonly created_at: number;
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly action: string;
  readonly outcome: string;
  readonly fields: string;
  readonly request_id: string;
  readonly source_address: string;
}

export type MarkName = 'head' | 'anchor';

/** A link that the server itself has written down, sealed so that nobody else can. */
export interface Mark extends Link {
  readonly sealed_with: string;
  readonly seal: string;
}

/**
 * Whether the record before was linked with the same secret. The fingerprint that a record carries can be
 * rewritten by whoever writes to the store, so it is the first MAC of a secret, and the seal of a head while
 * there is none yet, that tell where a former one ended.
 */
export type Follows = 'the same secret' | 'a former secret';

/** Of the present secret, and of the one before it while that is given; by fingerprint. */
export function auditKey(keys: Keys, fingerprint: string | null): Uint8Array | undefined {
  return [keys, keys.previous].find((candidate) => candidate?.fingerprint === fingerprint)?.audit;
}

/** The MAC of a record at its place, over the MAC of the record before it. */
export function linkMac(
  key: Uint8Array,
  previousMac: string,
  position: number,
  row: RecordRow,
  follows: Follows = 'the same secret',
): string {
  return mac(key, [
    follows === 'the same secret' ? 'record' : 'first record of a secret',
    previousMac,
    position,
    row.id,
    row.created_at,
    row.actor_kind,
    row.actor_id,
    row.actor_name,
    row.action,
    row.outcome,
    row.fields,
    row.request_id,
    row.source_address,
  ]);
}

/** Only a head tells what the next record follows. */
export function sealMark(
  keys: Keys,
  name: MarkName,
  { position, mac }: Link,
  next: Follows = 'the same secret',
): Mark {
  return {
    position,
    mac,
    sealed_with: keys.fingerprint,
    seal: sealOf(keys.audit, name, { position, mac }, next),
  };
}

export type MarkState = 'genuine' | 'forged' | 'unknown key';

export function checkMark(keys: Keys, name: MarkName, mark: Mark): MarkState {
  const key = auditKey(keys, mark.sealed_with);
  if (key === undefined) return 'unknown key';
  return nextFollows(key, name, mark) === undefined ? 'forged' : 'genuine';
}

/** What the record after a genuine head follows. */
export function afterHead(keys: Keys, head: Mark): Follows | undefined {
  const key = auditKey(keys, head.sealed_with);
  return key && nextFollows(key, 'head', head);
}

function nextFollows(key: Uint8Array, name: MarkName, mark: Mark): Follows | undefined {
  return (['the same secret', 'a former secret'] as const).find(
    (next) => sealOf(key, name, mark, next) === mark.seal,
  );
}

export function usableAnchor(keys: Keys, anchor: Mark | undefined): Mark | undefined {
  return anchor !== undefined && checkMark(keys, 'anchor', anchor) === 'genuine' ? anchor : undefined;
}

function sealOf(key: Uint8Array, name: MarkName, link: Link, next: Follows): string {
  return mac(key, [
    next === 'the same secret' ? name : `${name} of a former secret`,
    link.position,
    link.mac,
  ]);
}

/** Texts in a JSON array: no two different lists of parts look the same. */
export function mac(key: Uint8Array, parts: readonly (string | number | bigint)[]): string {
  return createHmac('sha256', key)
    .update(JSON.stringify(parts.map(String)))
    .digest('hex');
}
