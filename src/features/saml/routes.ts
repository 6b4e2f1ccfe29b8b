import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Int32Parameter, Struct } from '../../http/schemas.ts';
import { zeroTime } from '../../values/time.ts';
import { User, userExample } from '../users/index.ts';
import { SamlProvider, toView } from './schema.ts';
import { removeSamlProvider } from './service.ts';
import { defaultAttributeMappings, listSamlProviders } from './store.ts';

export function registerSaml(register: Register, deps: Deps): void {
  register({
    id: 'ListSAMLProviders',
    method: 'GET',
    url: '/api/v2/saml',
    tag: 'SSO',
    summary: 'List SAML providers',
    access: { permission: 'auth.ReadProviders' },
    answer: Struct({ data: Struct({ saml_providers: Type.Array(SamlProvider) }) }),
    answerExample: {
      data: {
        saml_providers: [
          {
            id: 1,
            created_at: '2026-01-05T08:00:00Z',
            updated_at: '2026-01-05T08:00:00Z',
            deleted_at: { time: zeroTime, valid: false },
            name: 'corp-idp',
            display_name: 'corp-idp',
            idp_issuer_uri: 'https://idp.example.org/metadata',
            idp_sso_uri: 'https://idp.example.org/sso',
            principal_attribute_mappings: defaultAttributeMappings,
            sp_issuer_uri: 'https://kennel.example.org/api/v2/sso/corp-idp',
            sp_sso_uri: 'https://kennel.example.org/api/v2/sso/corp-idp/login',
            sp_metadata_uri: 'https://kennel.example.org/api/v2/sso/corp-idp/metadata',
            sp_acs_uri: 'https://kennel.example.org/api/v2/sso/corp-idp/callback',
            sso_provider_id: { int32: 1, valid: true },
          },
        ],
      },
    },
    handle: async ({ db }) => {
      const rows = await listSamlProviders(db);
      return { data: { saml_providers: rows.map((row) => toView(row, deps.publicUrl())) } };
    },
  });

  register({
    id: 'DeleteSAMLProvider',
    method: 'DELETE',
    url: '/api/v2/saml/providers/{saml_provider_id}',
    tag: 'SSO',
    summary: 'Delete a SAML provider',
    description:
      'The provider is deleted; its users stay, lose it and are signed out at once. Refused where it would lock out the caller or the last administrator.',
    access: { permission: 'auth.ManageProviders' },
    path: Struct({ saml_provider_id: Int32Parameter() }),
    answer: Struct({ data: Struct({ affected_user: Type.Array(User) }) }),
    answerExample: { data: { affected_user: [userExample] } },
    errors: {
      not_found: 'SAML provider 7 does not exist',
      conflict: 'deleting SAML provider 1 would leave no administrator able to sign in',
    },
    handle: async ({ db, caller, origin, path }) => ({
      data: { affected_user: await removeSamlProvider(deps, db, caller, origin, path.saml_provider_id) },
    }),
  });
}
