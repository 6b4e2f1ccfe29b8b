import Type, { type Static } from 'typebox';
import {
  DateTime,
  dateTime,
  Nullable,
  NullableString,
  Struct,
  timestampMembers,
  timestamps,
  Uuid,
} from '../../http/schemas.ts';
import { ApiToken, NewApiToken, type TokenRow, toTokenView } from '../api-tokens/index.ts';
import { clientTypes, JobDisplay, LiveJob } from '../jobs/index.ts';
import { Event, EventDisplay } from '../schedules/index.ts';
import type { CollectorRow } from './list.ts';

const members = {
  name: Type.String(),
  type: Type.Enum([...clientTypes]),
  ip_address: Type.String(),
  hostname: Type.String(),
  configured_user: Type.String(),
  user_sid: NullableString,
  version: Type.String(),
  domain_controller: NullableString,
  last_checkin: DateTime,
  current_job_id: Nullable(Type.Integer()),
  completed_job_count: Type.Integer(),
  failed_in_a_row: Type.Integer({
    description:
      'Jobs that were abandoned, timed out, failed or were invalid since the last one that was not',
  }),
};

const Token = Type.Union([ApiToken, Type.Null()], { description: 'Without its key' });
const clientMembers = {
  id: Uuid,
  ...timestampMembers,
  ...members,
  current_job: Nullable(LiveJob),
  events: Type.Array(Event),
};

export const Client = Struct({ ...clientMembers, token: Token }, { title: 'Client' });
export const NewClient = Struct({ ...clientMembers, token: NewApiToken }, { title: 'NewClient' });

/** As lists show it. A task is a job under its old name. */
export const ClientDisplay = Struct(
  {
    id: Uuid,
    ...members,
    current_job: Type.Union([JobDisplay, Type.Null()]),
    current_task_id: Nullable(Type.Integer()),
    current_task: Type.Union([JobDisplay, Type.Null()]),
    completed_task_count: Type.Integer(),
    events: Type.Array(EventDisplay),
    token: Token,
  },
  { title: 'ClientDisplay' },
);

/** As collectors see themselves. */
export const LiveClient = Struct(
  {
    id: Uuid,
    ...timestampMembers,
    ...members,
    current_job: Nullable(LiveJob),
  },
  { title: 'LiveClient' },
);

type Job = Static<typeof LiveJob>;
type Display = Static<typeof JobDisplay>;

export function toClientView(
  row: CollectorRow,
  parts: { job: Job | null; events: Static<typeof Event>[]; token: TokenRow | undefined },
): Static<typeof Client> {
  return {
    id: row.id,
    ...timestamps(row),
    ...memberView(row, parts.job?.id),
    current_job: parts.job,
    events: parts.events,
    token: parts.token === undefined ? null : toTokenView(parts.token),
  };
}

export function toDisplayView(
  row: CollectorRow,
  parts: { job: Display | null; events: Static<typeof EventDisplay>[]; token: TokenRow | undefined },
): Static<typeof ClientDisplay> {
  const view = memberView(row, parts.job?.id);
  return {
    id: row.id,
    ...view,
    current_job: parts.job,
    current_task_id: view.current_job_id,
    current_task: parts.job,
    completed_task_count: row.completed_job_count,
    events: parts.events,
    token: parts.token === undefined ? null : toTokenView(parts.token),
  };
}

export function toLiveClientView(
  row: CollectorRow,
  job: Static<typeof LiveJob> | null,
): Static<typeof LiveClient> {
  return {
    id: row.id,
    ...timestamps(row),
    ...memberView(row, job?.id),
    current_job: job,
  };
}

function memberView(row: CollectorRow, jobId: number | undefined) {
  return {
    name: row.name,
    type: row.type as (typeof clientTypes)[number],
    ip_address: row.ip_address,
    hostname: row.hostname,
    configured_user: row.configured_user,
    user_sid: row.user_sid,
    version: row.version,
    domain_controller: row.domain_controller,
    last_checkin: dateTime(row.last_checkin),
    current_job_id: jobId ?? null,
    completed_job_count: row.completed_job_count,
    failed_in_a_row: row.failed_in_a_row,
  };
}
