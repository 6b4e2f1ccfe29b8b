import type { Static } from 'typebox';
import { sqlTime } from '../../http/schemas.ts';
import type { User } from './schema.ts';

const record = {
  created_at: '2026-01-05T08:00:00Z',
  updated_at: '2026-01-05T08:00:00Z',
  deleted_at: sqlTime(null),
};

/** For the API document. */
export const userExample: Static<typeof User> = {
  id: 'c3f7d7b4-6a5e-4f7b-9f0a-0d8f3a0f9a11',
  ...record,
  saml_provider_id: null,
  sso_provider_id: null,
  AuthSecret: {
    id: 7,
    ...record,
    digest_method: 'argon2',
    expires_at: '2026-04-05T08:00:00Z',
    totp_activated: false,
  },
  roles: [
    {
      id: 3,
      ...record,
      name: 'Read-Only',
      description: 'Used for integrations',
      permissions: [{ id: 23, ...record, authority: 'graphdb', name: 'Read' }],
    },
  ],
  first_name: 'Ada',
  last_name: 'Byron',
  email_address: 'ada@example.org',
  principal_name: 'ada',
  last_login: '2026-01-06T07:30:00Z',
  is_disabled: false,
  eula_accepted: true,
  all_environments: true,
  environment_targeted_access_control: [],
};
