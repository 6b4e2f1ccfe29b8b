const stamps = {
  created_at: '2026-01-05T02:10:00Z',
  created_by: 'admin',
  updated_at: '2026-01-05T02:10:00Z',
  updated_by: 'admin',
};

export const tagExample = {
  id: 3,
  type: 1,
  kind_id: 3,
  kind: 'Tag_Payment_systems',
  name: 'Payment systems',
  description: 'What money goes through',
  position: 2,
  require_certify: false,
  analysis_enabled: true,
  glyph: null,
  ...stamps,
  deleted_at: null,
  deleted_by: null,
};

export const selectorExample = {
  id: 44,
  asset_group_tag_id: 3,
  name: 'Payment servers',
  description: '',
  is_default: false,
  rule: '',
  allow_disable: true,
  disabled: false,
  disabled_at: null,
  disabled_by: null,
  auto_certify: 0,
  seeds: [{ selector_id: 44, type: 1, value: 'S-1-5-21-2643190041-1319121918-239771340-1105' }],
  ...stamps,
};

export const memberExample = {
  id: 812,
  object_id: 'S-1-5-21-2643190041-1319121918-239771340-1105',
  name: 'PAY01.CORP.EXAMPLE',
  primary_kind: 'Computer',
  kinds: ['Base', 'Computer', 'Tag_Payment_systems'],
  environment_id: 'S-1-5-21-2643190041-1319121918-239771340',
  environment_name: 'CORP.EXAMPLE',
  source: 1,
};
