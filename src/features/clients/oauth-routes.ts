import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import { type Tokens, tooManyFailures } from '../auth/index.ts';
import type { FeatureFlags } from '../feature-flags/index.ts';
import { grantType, oauthError, readCredentials } from './credentials.ts';
import { createGrant, tokenSeconds } from './oauth.ts';

const invalidRequest = { error: 'invalid_request' };

export function registerOAuth(register: Register, deps: Deps, flags: FeatureFlags, tokens: Tokens): void {
  const grant = createGrant(deps, tokens);
  register({
    id: 'CreateOAuthToken',
    method: 'POST',
    url: '/api/v2/oauth/token',
    tag: 'Collectors',
    summary: 'Get a Bearer token for a collector',
    description:
      'The client credentials grant of RFC 6749. `client_id` and `client_secret` are the id and the key of the collector’s token; they may be sent as HTTP Basic instead. Errors carry `error` of RFC 6749: `invalid_request`, `invalid_client`, `unauthorized_client` or `unsupported_grant_type`.',
    rules: [
      '`client_id` and `client_secret` are sent as fields or as HTTP Basic, once',
      'The feature flag client_bearer_auth is on',
    ],
    access: 'public',
    edition: 'enterprise',
    urlencodedForm: {
      grant_type: {
        description: 'The only one there is',
        required: true,
        maxBytes: 100,
        keywords: { const: grantType },
      },
      client_id: { description: 'The id of the token', required: false, maxBytes: 100 },
      client_secret: { description: 'The key of the token', required: false, maxBytes: 500 },
      scope: {
        description: 'Ignored: a collector has the same rights always',
        required: false,
        maxBytes: 500,
      },
    },
    answer: Struct({
      access_token: Type.String(),
      token_type: Type.Literal('bearer'),
      expires_in: Type.Integer({ description: 'Seconds' }),
    }),
    answerExample: { access_token: 'eyJhbGciOiJIUzI1NiJ9.…', token_type: 'bearer', expires_in: tokenSeconds },
    errors: {
      bad_request: 'grant_type must be client_credentials, but is "password"',
      unauthenticated: 'authentication is invalid',
      rate_limited: tooManyFailures,
    },
    errorExtra: {
      bad_request: invalidRequest,
      unauthenticated: { error: 'invalid_client' },
      request_timeout: invalidRequest,
      too_large: invalidRequest,
      unsupported_media_type: invalidRequest,
    },
    secret: true,
    handle: async ({ db, origin, form, authorization }) => {
      const credentials = readCredentials(form, authorization);
      if (!(await flags.isEnabled('client_bearer_auth'))) {
        throw oauthError(
          'unauthorized_client',
          'collectors may not use Bearer tokens here: the feature flag client_bearer_auth is off; sign requests instead',
          'grant_type',
        );
      }
      const accessToken = await grant(db, origin, credentials);
      return { access_token: accessToken, token_type: 'bearer' as const, expires_in: tokenSeconds };
    },
  });
}
