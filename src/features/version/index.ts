import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import { version } from '../../version.ts';

/** Generic clients ask for it before anything else. */
export function registerVersion(register: Register, { settings }: Pick<Deps, 'settings'>): void {
  register({
    id: 'GetVersion',
    method: 'GET',
    url: '/api/version',
    tag: 'API document',
    summary: 'The versions of this server and of its API',
    access: 'signed-in',
    answer: Struct({
      data: Struct({
        API: Struct({
          current_version: Type.String(),
          deprecated_version: Type.String({ description: '"none" while there is none' }),
        }),
        server_version: Type.String(),
        product_edition: Type.Enum(['enterprise', 'community']),
      }),
    }),
    answerExample: {
      data: {
        API: { current_version: 'v2', deprecated_version: 'none' },
        server_version: 'v0.1.0',
        product_edition: 'enterprise',
      },
    },
    handle: async () => ({
      data: {
        API: { current_version: 'v2', deprecated_version: 'none' },
        server_version: `v${version}`,
        product_edition: settings.edition,
      },
    }),
  });
}
