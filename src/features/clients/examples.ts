import type { Static } from 'typebox';
import { sqlTime } from '../../http/schemas.ts';
import { type NewApiToken, tokenExample } from '../api-tokens/index.ts';
import type { Client, ClientDisplay } from './schema.ts';

const token = {
  ...tokenExample,
  user_id: null,
  name: 'collector-1',
};

const members = {
  name: 'collector-1',
  type: 'azurehound' as const,
  ip_address: '192.0.2.7',
  hostname: 'srv-7',
  configured_user: '',
  user_sid: null,
  version: 'v2.2.1',
  domain_controller: null,
  last_checkin: '2026-01-06T07:30:00Z',
  current_job_id: null,
  completed_job_count: 12,
  failed_in_a_row: 0,
};

const id = '0b1f8c9e-3a57-4f2b-8a35-57b1f0c2d9aa';

/** For the API document. */
export const clientExample: Static<typeof Client> = {
  id,
  created_at: '2026-01-05T08:00:00Z',
  updated_at: '2026-01-05T08:00:00Z',
  deleted_at: sqlTime(null),
  ...members,
  current_job: null,
  events: [],
  token,
};

export const displayExample: Static<typeof ClientDisplay> = {
  id,
  ...members,
  current_job: null,
  current_task_id: null,
  current_task: null,
  completed_task_count: 12,
  events: [],
  token,
};

export const newTokenExample: Static<typeof NewApiToken> = { ...token, key: 'base64 of 40 random bytes' };
