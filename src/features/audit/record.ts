import type { Origin } from '../../caller.ts';
import type { Transaction } from '../../db/client.ts';

export interface AuditRecord {
  readonly action: string;
  /** What it was about, with values before and after; never a secret. */
  readonly fields: Record<string, unknown>;
  /** `intent`: it begins with this, and a later record tells how it went. */
  readonly outcome?: 'intent' | 'success' | 'failure';
}

/**
 * Written in the transaction that makes the change: the one is never stored without the other. The record
 * joins the chain later (`link.ts`), so that writers need not wait for one another.
 */
export async function recordAudit(
  db: Transaction,
  origin: Origin,
  at: number,
  record: AuditRecord,
): Promise<void> {
  await db.execute(
    `insert into audit_log (created_at, actor_kind, actor_id, actor_name, action, outcome, fields, request_id, source_address)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      at,
      origin.actor.kind,
      origin.actor.id,
      origin.actor.name,
      record.action,
      record.outcome ?? 'success',
      JSON.stringify(record.fields),
      origin.requestId,
      origin.address,
    ],
  );
}

/** What a change changed, member by member; what stayed as it was is left out. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, { before: unknown; after: unknown }> {
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...members].filter(
    (member) => JSON.stringify(before[member]) !== JSON.stringify(after[member]),
  );
  return Object.fromEntries(
    changed.map((member) => [member, { before: before[member] ?? null, after: after[member] ?? null }]),
  );
}
