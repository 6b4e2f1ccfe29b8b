import Type from 'typebox';
import type { Register } from '../../http/operation.ts';
import { Empty, Struct } from '../../http/schemas.ts';
import { maxZones } from '../zones/index.ts';

/** What interfaces ask for when they start, to know what they may offer. Kennel has no licences: all is true of it. */
const entitlements = {
  'auth.environment_targeted_access_control': false,
  'privilege_zones.tier_limit': maxZones,
  'privilege_zones.label_limit': 0,
  'privilege_zones.multi_tier_analysis': true,
};

export function registerEntitlements(register: Register): void {
  register({
    id: 'GetDogTags',
    method: 'GET',
    url: '/api/v2/dog-tags',
    tag: 'API document',
    summary: 'What this server can do, as a flat list of names with their values',
    access: 'signed-in',
    answer: Struct({
      data: Struct({
        'auth.environment_targeted_access_control': Type.Boolean({
          description: 'Whether users can be limited to environments',
        }),
        'privilege_zones.tier_limit': Type.Integer({ description: 'How many zones there may be' }),
        'privilege_zones.label_limit': Type.Integer({ description: 'How many labels there may be' }),
        'privilege_zones.multi_tier_analysis': Type.Boolean({
          description: 'Whether zones other than Tier Zero are analysed',
        }),
      }),
    }),
    answerExample: { data: entitlements },
    handle: async () => ({ data: entitlements }),
  });

  for (const method of ['PUT', 'GET'] as const)
    register({
      id: method === 'PUT' ? 'AcceptEULA' : 'AcceptEULAByGet',
      method,
      url: '/api/v2/accept-eula',
      tag: 'Auth',
      summary: 'Does nothing: there is no agreement to accept, and every user has eula_accepted',
      description: 'For clients that call it after signing in.',
      ...(method === 'GET' ? { deprecated: true } : {}),
      access: 'signed-in',
      answer: Empty,
      handle: async () => undefined,
    });
}
