import Type, { type Static } from 'typebox';
import { DateTime, dateTime, Nullable, Struct } from '../../http/schemas.ts';

export const AuditLog = Struct(
  {
    id: Type.Integer({ format: 'int64' }),
    created_at: DateTime,
    actor_id: Type.String({ description: 'Of a user or a collector; empty for anybody and anything else' }),
    actor_name: Type.String({
      description: "As it was then; kennel for the server's own work and its commands",
    }),
    actor_email: Nullable(Type.String(), { description: "The user's present e-mail address" }),
    action: Type.String(),
    fields: Type.Object(
      {},
      { additionalProperties: true, description: 'What it was about, before and after' },
    ),
    request_id: Type.String({ description: 'Empty where no request caused it' }),
    source_ip_address: Type.String(),
    commit_id: Type.String({
      format: 'uuid',
      description: 'Names the change: the request id, or one made from the id where no request caused it',
    }),
    status: Type.Enum(['intent', 'success', 'failure'], {
      description: 'Long work has a record of its intent and, at its end, one of its outcome',
    }),
  },
  { title: 'AuditLog' },
);

export interface AuditRow {
  readonly id: number;
  readonly created_at: number;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly actor_email: string | null;
  readonly action: string;
  readonly outcome: string;
  readonly fields: string;
  readonly request_id: string;
  readonly source_address: string;
}

export function toAuditView(row: AuditRow): Static<typeof AuditLog> {
  return {
    id: row.id,
    created_at: dateTime(row.created_at),
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    actor_email: row.actor_email,
    action: row.action,
    fields: readFields(row.fields),
    request_id: row.request_id,
    source_ip_address: row.source_address,
    commit_id: row.request_id === '' ? uuidOf(row.id) : row.request_id,
    status: row.outcome === 'failure' || row.outcome === 'intent' ? row.outcome : 'success',
  };
}

/** A record that somebody has tampered with must not hide the others. */
function readFields(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // shown as it is
  }
  return { unreadable: text };
}

/** A UUID of version 8, whose content is up to its maker. */
function uuidOf(id: number): string {
  return `00000000-0000-8000-8000-${id.toString(16).padStart(12, '0')}`;
}
