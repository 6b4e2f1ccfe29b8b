import type { Static } from 'typebox';
import type { PostureDiff } from './diff-schema.ts';

export const diffExample: Static<typeof PostureDiff> = {
  from: { time: '2026-01-10T00:00:00Z', analysis_at: '2026-01-09T02:10:00Z' },
  to: { time: '2026-01-31T00:00:00Z', analysis_at: '2026-01-30T02:10:00Z' },
  environments: ['S-1-5-21-1-2-3'],
  measures: [
    { data_type: 'findings', before: 12, after: 12, difference: 0 },
    { data_type: 'exposure', before: 37, after: 35, difference: -2 },
  ],
  findings: {
    before: 12,
    after: 12,
    unchanged: 11,
    came_and_went: 2,
    by_type: [{ type: 'T0GenericAll', severity: 'high', new: 1, gone: 1, unchanged: 11, came_and_went: 2 }],
    new: {
      count: 1,
      truncated: false,
      items: [
        {
          id: 31,
          type: 'T0GenericAll',
          severity: 'high',
          asset_group_tag_id: 1,
          environment_id: 'S-1-5-21-1-2-3',
          source_id: 'S-1-5-21-1-2-3-1105',
          source_name: 'HELPDESK@CORP.LOCAL',
          target_id: 'S-1-5-21-1-2-3-512',
          target_name: 'DOMAIN ADMINS@CORP.LOCAL',
          exposure_count: 310,
          impact_count: 372,
          first_seen: '2026-01-20T02:10:00Z',
        },
      ],
    },
    gone: { count: 1, truncated: true, items: [] },
  },
  zone: {
    before: 40,
    after: 41,
    entered: {
      count: 1,
      truncated: false,
      items: [
        {
          object_id: 'S-1-5-21-1-2-3-1601',
          name: 'DC2.CORP.LOCAL',
          environment_id: 'S-1-5-21-1-2-3',
          asset_group_tag_id: 1,
        },
      ],
    },
    left: { count: 0, truncated: false, items: [] },
  },
};
