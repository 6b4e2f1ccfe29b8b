import Type from 'typebox';
import type { Reader } from '../../db/client.ts';
import type { Deps } from '../../deps.ts';
import { AppError } from '../../errors.ts';
import { readRows } from '../../http/list.ts';
import { Document, type Register } from '../../http/operation.ts';
import { quoted } from '../../http/parameters.ts';
import { Empty, Int32Parameter, NoJson, Struct } from '../../http/schemas.ts';
import { User, userExample } from '../users/index.ts';
import { ssoExample } from './examples.ts';
import { changeProvider } from './provider.ts';
import { providerFields, providerRules, readProviderForm } from './provider-form.ts';
import { addressesOf, mayReadProviders, SsoProvider, toSsoView } from './schema.ts';
import { removeProvider } from './service.ts';
import { metadataMediaType, spMetadata } from './sp-metadata.ts';
import { findProviderBySlug, listSamlProviders, type SamlProviderRow, ssoProviderList } from './store.ts';

const Path = Struct({ sso_provider_id: Int32Parameter() });
const Slug = Struct({ slug: Type.String() });
const notFound = 'SSO provider 7 does not exist';

/** Providers of every kind, as the newer paths show them. */
export function registerSsoProviders(register: Register, deps: Deps): void {
  register({
    id: 'ListSSOProviders',
    method: 'GET',
    url: '/api/v2/sso-providers',
    tag: 'SSO',
    summary: 'List SSO providers',
    description: 'For sign-in pages. Details and configuration are for callers who may read providers.',
    access: 'optional',
    list: ssoProviderList,
    answer: Struct({ data: Type.Array(SsoProvider) }),
    answerExample: { data: [ssoExample] },
    handle: async ({ db, list, knownCaller }) => {
      const mayRead = mayReadProviders(knownCaller);
      const rows = await readRows<SamlProviderRow>(db, ssoProviderList, list);
      return { data: rows.map((row) => toSsoView(row, deps.publicUrl(), mayRead)) };
    },
  });

  register({
    id: 'UpdateSSOProvider',
    method: 'PATCH',
    url: '/api/v2/sso-providers/{sso_provider_id}',
    tag: 'SSO',
    summary: 'Change an SSO provider',
    description:
      'What is left out stays as it is. If anything changes, the users of the provider are signed out.',
    access: { permission: 'auth.ManageProviders' },
    path: Path,
    rules: providerRules,
    form: providerFields(false),
    answer: Struct({ data: SsoProvider }),
    answerExample: { data: ssoExample },
    errors: {
      not_found: notFound,
      conflict: 'sso provider name must be unique: "corp-idp" exists already',
    },
    handle: async ({ db, origin, path, form }) => {
      const wish = readProviderForm(form, deps.clock(), deps.log);
      const row = await changeProvider(deps, db, origin, path.sso_provider_id, wish);
      return { data: toSsoView(row, deps.publicUrl(), true) };
    },
  });

  register({
    id: 'DeleteSSOProvider',
    method: 'DELETE',
    url: '/api/v2/sso-providers/{sso_provider_id}',
    tag: 'SSO',
    summary: 'Delete an SSO provider',
    description:
      'As the deletion of a SAML provider, by the other id. The answer has no data member around it.',
    access: { permission: 'auth.ManageProviders' },
    path: Path,
    answer: Struct({ affected_users: Type.Array(User) }),
    answerExample: { affected_users: [userExample] },
    errors: {
      not_found: notFound,
      conflict: 'SSO provider 1 is the one you sign in with: another administrator must delete it',
    },
    handle: async ({ db, caller, origin, path }) => {
      const key = { kind: 'SSO', id: path.sso_provider_id } as const;
      return { affected_users: await removeProvider(deps, db, caller, origin, key) };
    },
  });
}

/** What browsers and identity providers use, who have no token. */
export function registerSignOn(register: Register, deps: Deps): void {
  register({
    id: 'ListSAMLSignOnEndpoints',
    method: 'GET',
    url: '/api/v2/saml/sso',
    tag: 'SSO',
    summary: 'List where to sign in through SAML providers',
    access: 'public',
    answer: Struct({
      data: Struct({
        endpoints: Type.Array(
          Struct({
            name: Type.String(),
            initiation_url: Type.String(),
            idp_url: Type.String({ description: 'The same address, under its older name' }),
          }),
        ),
      }),
    }),
    answerExample: {
      data: {
        endpoints: [
          { name: 'corp-idp', initiation_url: ssoExample.login_uri, idp_url: ssoExample.login_uri },
        ],
      },
    },
    handle: async ({ db }) => {
      const endpoints = (await listSamlProviders(db)).map((row) => {
        const { sp_sso_uri } = addressesOf(row, deps.publicUrl());
        return { name: row.name, initiation_url: sp_sso_uri, idp_url: sp_sso_uri };
      });
      return { data: { endpoints } };
    },
  });

  register({
    id: 'GetServiceProviderMetadata',
    method: 'GET',
    url: '/api/v2/sso/{slug}/metadata',
    tag: 'SSO',
    summary: "Kennel's own SAML metadata, for the identity provider",
    access: 'public',
    path: Slug,
    answer: NoJson,
    documents: { [metadataMediaType]: 'An EntityDescriptor of SAML 2.0' },
    errors: { not_found: 'there is no SSO provider "corp-idp"' },
    handle: async ({ db, path }) =>
      new Document(metadataMediaType, spMetadata(await getBySlug(db, path.slug), deps.publicUrl())),
  });

  // gap 2.6
  for (const [id, method, step] of [
    ['StartSignOn', 'GET', 'login'],
    ['FinishSignOn', 'POST', 'callback'],
    ['FinishSignOnByRedirect', 'GET', 'callback'],
  ] as const) {
    register({
      id,
      method,
      url: `/api/v2/sso/{slug}/${step}`,
      tag: 'SSO',
      summary: `Sign in through a provider: ${step} (not available yet)`,
      access: 'public',
      path: Slug,
      answer: Empty,
      volatile: true,
      errors: {
        not_found: 'there is no SSO provider "corp-idp"',
        not_implemented: 'signing in through SSO provider "corp-idp" is not available yet',
      },
      handle: async ({ db, path }) => {
        const { name } = await getBySlug(db, path.slug);
        throw new AppError(
          'not_implemented',
          `signing in through SSO provider "${name}" is not available yet: use a password`,
        );
      },
    });
  }
}

async function getBySlug(db: Reader, slug: string): Promise<SamlProviderRow> {
  const row = await findProviderBySlug(db, slug);
  if (row !== undefined) return row;
  throw new AppError('not_found', `there is no SSO provider ${quoted(slug)}`, { context: 'slug' });
}
