import Type, { type Static } from 'typebox';
import { published, Struct, visibleName } from '../../http/schemas.ts';
import { environmentMembers } from './environment-limits.ts';

/** Empty, or an address. */
const emailPattern = '^([^\\p{C}\\p{Z}\\ufffd@]+@[^\\p{C}\\p{Z}\\ufffd@]+)?$';
const Name = Type.String({ maxLength: 250 });
const Optional = {
  first_name: Type.Optional(Type.Union([Name, Type.Null()])),
  last_name: Type.Optional(Type.Union([Name, Type.Null()])),
  email_address: Type.Optional(
    Type.Union([Type.String({ maxLength: 320, ...published({ pattern: emailPattern }) }), Type.Null()]),
  ),
  sso_provider_id: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description: 'Who signs in through a provider has no password',
    }),
  ),
  saml_provider_id: Type.Optional(
    Type.Union([Type.String({ maxLength: 20, ...published({ pattern: '^[0-9]{0,15}$' }) }), Type.Null()], {
      description: 'The id of a SAML provider as text; another way to name the provider',
    }),
  ),
  is_disabled: Type.Optional(Type.Boolean()),
  ...environmentMembers,
};
const Principal = Type.String({
  minLength: 1,
  maxLength: 250,
  description: 'The name to sign in with',
  ...published({ pattern: visibleName }),
});
const Roles = Type.Array(Type.Integer(), { minItems: 1, maxItems: 1, description: 'Exactly one role id' });

export const CreateUserRequest = Struct({
  principal: Principal,
  roles: Roles,
  ...Optional,
  secret: Type.Optional(Type.String({ maxLength: 1024 })),
  needs_password_reset: Type.Optional(
    Type.Boolean({
      description:
        'The user must choose a password at their first sign-in. Without a `secret` a one-time one is made up and told in the answer.',
    }),
  ),
});

export const UpdateUserRequest = Struct({
  principal: Type.Optional(Principal),
  roles: Type.Optional(Roles),
  ...Optional,
  needs_password_reset: Type.Optional(
    Type.Boolean({ description: 'true: the user must choose a new password at the next sign-in' }),
  ),
});

export const KeepTokens = Type.Boolean({
  description:
    "The user's API tokens stay usable; after an administrator's reset, suspended ones are usable again. Left out: true for your own password; the tokens of another user are suspended.",
});

export const SecretRequest = Struct({
  secret: Type.String({ maxLength: 1024 }),
  current_secret: Type.Optional(
    Type.String({ maxLength: 1024, description: 'Needed to change your own password' }),
  ),
  needs_password_reset: Type.Optional(Type.Boolean()),
  keep_tokens: Type.Optional(KeepTokens),
});

export type CreateUser = Static<typeof CreateUserRequest>;
export type UpdateUser = Static<typeof UpdateUserRequest>;
