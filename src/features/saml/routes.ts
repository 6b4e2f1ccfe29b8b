import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Int32Parameter, Struct } from '../../http/schemas.ts';
import { ContractUser, toContractUser, User, userExample } from '../users/index.ts';
import { contractSamlExample, samlExample } from './examples.ts';
import { getProvider } from './lookup.ts';
import { createProvider } from './provider.ts';
import { providerFields, providerRules, readNewProvider } from './provider-form.ts';
import { ContractSamlProvider, SamlProvider, toContractView, toView } from './schema.ts';
import { previewRemoval, removeProvider } from './service.ts';
import { registerSignOn, registerSsoProviders } from './sso-routes.ts';
import { listSamlProviders } from './store.ts';

const Path = Struct({ saml_provider_id: Int32Parameter() });
const notFound = 'SAML provider 7 does not exist';

export function registerSaml(register: Register, deps: Deps): void {
  register({
    id: 'ListSAMLProviders',
    method: 'GET',
    url: '/api/v2/saml',
    tag: 'SSO',
    summary: 'List SAML providers',
    access: { permission: 'auth.ReadProviders' },
    answer: Struct({ data: Struct({ saml_providers: Type.Array(ContractSamlProvider) }) }),
    answerExample: { data: { saml_providers: [contractSamlExample] } },
    handle: async ({ db }) => {
      const rows = await listSamlProviders(db);
      return { data: { saml_providers: rows.map((row) => toContractView(row, deps.publicUrl())) } };
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
    path: Path,
    answer: Struct({ data: Struct({ affected_user: Type.Array(ContractUser) }) }),
    answerExample: { data: { affected_user: [toContractUser(userExample)] } },
    errors: {
      not_found: notFound,
      conflict: 'deleting SAML provider 1 would leave no administrator able to sign in',
    },
    handle: async ({ db, caller, origin, path }) => {
      const key = { kind: 'SAML', id: path.saml_provider_id } as const;
      const users = await removeProvider(deps, db, caller, origin, key);
      return { data: { affected_user: users.map(toContractUser) } };
    },
  });

  // Two paths to the same thing: the second one is the newer.
  for (const [id, url] of [
    ['CreateSAMLProvider', '/api/v2/saml/providers'],
    ['CreateSSOSAMLProvider', '/api/v2/sso-providers/saml'],
  ] as const) {
    register({
      id,
      method: 'POST',
      url,
      tag: 'SSO',
      summary: 'Add a SAML provider from its metadata',
      access: { permission: 'auth.ManageProviders' },
      rules: providerRules,
      form: providerFields(true),
      answer: Struct({ data: SamlProvider }),
      answerExample: { data: samlExample },
      errors: {
        bad_request: 'form is missing "metadata" parameter',
        conflict: 'sso provider name must be unique: "corp-idp" exists already',
      },
      handle: async ({ db, origin, form }) => {
        const wish = readNewProvider(form, deps.clock(), deps.log);
        const row = await createProvider(deps, db, origin, wish);
        return { data: toView(row, deps.publicUrl()) };
      },
    });
  }

  register({
    id: 'GetSAMLProvider',
    method: 'GET',
    url: '/api/v2/saml/providers/{saml_provider_id}',
    tag: 'SSO',
    summary: 'Get a SAML provider',
    access: { permission: 'auth.ReadProviders' },
    path: Path,
    answer: Struct({ data: SamlProvider }),
    answerExample: { data: samlExample },
    errors: { not_found: notFound },
    handle: async ({ db, path }) => {
      const row = await getProvider(db, { kind: 'SAML', id: path.saml_provider_id });
      return { data: toView(row, deps.publicUrl()) };
    },
  });

  register({
    id: 'PreviewSAMLProviderDeletion',
    method: 'GET',
    url: '/api/v2/saml/providers/{saml_provider_id}/affected-users',
    tag: 'SSO',
    summary: 'Show what deleting a SAML provider would do',
    description:
      'The users that would lose the provider, as they are now, and why the caller could not delete it, if so. Nothing changes.',
    access: { permission: 'auth.ReadProviders' },
    path: Path,
    answer: Struct({
      data: Struct({
        affected_user: Type.Array(User),
        refused: Type.Union([Type.String(), Type.Null()], {
          description: 'Why a deletion would be refused; null where it would not',
        }),
      }),
    }),
    answerExample: { data: { affected_user: [userExample], refused: null } },
    errors: { not_found: notFound },
    handle: async ({ db, caller, path }) => ({
      data: await previewRemoval(db, caller, { kind: 'SAML', id: path.saml_provider_id }),
    }),
  });

  registerSsoProviders(register, deps);
  registerSignOn(register, deps);
}
