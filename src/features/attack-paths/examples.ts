import type { Static } from 'typebox';
import type { Finding, FindingWithPath } from './schema.ts';

const domain = 'S-1-5-21-2643190041-1319121918-239771340';

export const findingExample: Static<typeof Finding> = {
  id: 42,
  environment_id: domain,
  asset_group_tag_id: 1,
  type: 'T0GenericAll',
  severity: 'high',
  state: 'accepted',
  source_id: `${domain}-1105`,
  source_name: 'HELPDESK@CORP.EXAMPLE',
  source_kind: 'Group',
  target_id: `${domain}-512`,
  target_name: 'DOMAIN ADMINS@CORP.EXAMPLE',
  target_kind: 'Group',
  exposure_count: 412,
  exposure_percent: 83,
  impact_count: 496,
  impact_percent: 100,
  first_seen: '2026-01-05T02:10:00Z',
  last_seen: '2026-02-01T02:10:00Z',
  gone_at: null,
  acceptance: {
    until: '2026-04-01T00:00:00Z',
    reason: 'Until the helpdesk has accounts of its own',
    accepted_at: '2026-01-20T09:00:00Z',
    accepted_by: 'ada',
  },
};

export const pathExample: Static<typeof FindingWithPath>['path'] = {
  nodes: [
    {
      objectId: `${domain}-1120`,
      name: 'BOB@CORP.EXAMPLE',
      kinds: ['Base', 'User'],
      label: 'User',
    },
    {
      objectId: `${domain}-1105`,
      name: 'HELPDESK@CORP.EXAMPLE',
      kinds: ['Base', 'Group'],
      label: 'Group',
    },
    {
      objectId: `${domain}-512`,
      name: 'DOMAIN ADMINS@CORP.EXAMPLE',
      kinds: ['Base', 'Group', 'Tag_Tier_Zero'],
      label: 'Group',
    },
  ],
  edges: [
    { source: `${domain}-1120`, target: `${domain}-1105`, kind: 'MemberOf' },
    { source: `${domain}-1105`, target: `${domain}-512`, kind: 'GenericAll' },
  ],
};
