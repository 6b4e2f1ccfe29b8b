import type { Static } from 'typebox';
import type { EventDisplay, NewEvent } from './schema.ts';

const settings = {
  client_id: '0b1f8c9e-3a57-4f2b-8a35-57b1f0c2d9aa',
  rrule: 'DTSTART;TZID=Europe/Berlin:20260105T023000\nRRULE:FREQ=DAILY',
  session_collection: true,
  local_group_collection: true,
  ad_structure_collection: true,
  cert_services_collection: true,
  ca_registry_collection: false,
  dc_registry_collection: false,
  all_trusted_domains: false,
};

/** For the API document. */
export const newEventExample: Static<typeof NewEvent> = {
  ...settings,
  ous: [],
  domains: ['S-1-5-21-1-2-3'],
};

export const eventExample: Static<typeof EventDisplay> = {
  id: 3,
  ...settings,
  next_scheduled_at: '2026-01-06T01:30:00Z',
  ous: [],
  domains: [{ objectid: 'S-1-5-21-1-2-3', name: 'CORP.EXAMPLE', exists: true, type: 'Domain' }],
};
