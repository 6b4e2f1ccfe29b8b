import Type, { type Static } from 'typebox';
import {
  DateTime,
  dateTime,
  NullInt64,
  NullString,
  nullInt64,
  nullString,
  Struct,
  timestampMembers,
  timestamps,
  Uuid,
} from '../../http/schemas.ts';
import { zeroTime } from '../../values/time.ts';
import { ApiToken, NewApiToken, type TokenRow, toTokenView } from '../api-tokens/index.ts';
import { clientTypes, JobDisplay, JobWithStatus, LiveJob } from '../jobs/index.ts';
import { Event, EventDisplay } from '../schedules/index.ts';
import type { CollectorRow } from './list.ts';

const members = {
  name: Type.String(),
  type: Type.Enum([...clientTypes]),
  ip_address: Type.String(),
  hostname: Type.String(),
  configured_user: Type.String(),
  user_sid: NullString,
  version: Type.String(),
  domain_controller: NullString,
  last_checkin: DateTime,
  current_job_id: NullInt64,
  completed_job_count: Type.Integer(),
};

const Token = Type.Union([ApiToken, Type.Null()], { description: 'Without its key' });
const clientMembers = {
  id: Uuid,
  ...timestampMembers,
  ...members,
  current_job: Type.Union([JobWithStatus, Type.Null()]),
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
    current_task_id: NullInt64,
    current_task: Type.Union([JobDisplay, Type.Null()]),
    completed_task_count: Type.Integer(),
    events: Type.Array(EventDisplay),
    token: Token,
  },
  { title: 'ClientDisplay' },
);

const FlatString = Type.Union([Type.String(), Type.Null()]);

/** gap 1.8: the flat form that deployed collectors read. */
export const LiveClient = Struct(
  {
    id: Uuid,
    created_at: DateTime,
    updated_at: DateTime,
    deleted_at: Struct({ Time: DateTime, Valid: Type.Boolean() }),
    ...members,
    user_sid: FlatString,
    domain_controller: FlatString,
    current_job_id: Type.Union([Type.Integer(), Type.Null()]),
    current_job: Type.Union([LiveJob, Type.Null()]),
  },
  { title: 'LiveClient' },
);

type Job = Static<typeof JobWithStatus>;
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
    created_at: dateTime(row.created_at),
    updated_at: dateTime(row.updated_at),
    deleted_at: { Time: zeroTime, Valid: false },
    ...memberView(row, job?.id),
    user_sid: row.user_sid,
    domain_controller: row.domain_controller,
    current_job_id: job?.id ?? null,
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
    user_sid: nullString(row.user_sid),
    version: row.version,
    domain_controller: nullString(row.domain_controller),
    last_checkin: dateTime(row.last_checkin),
    current_job_id: nullInt64(jobId ?? null),
    completed_job_count: row.completed_job_count,
  };
}
