-- Single sign-on: what identity providers say of themselves, and what happens to people they vouch for.

-- Whether somebody unknown gets an account at their first sign-in, and with which role.
alter table sso_providers add column auto_provision integer not null default 0;
alter table sso_providers add column default_role_id integer references roles (id);
-- Whether the provider may say the role itself.
alter table sso_providers add column role_provision integer not null default 0;
-- The file that the provider is declared in; unset where it is managed through the API.
alter table sso_providers add column declared_in text;

-- The metadata as it was given, and the certificates in it that signatures are checked with: a JSON array of
-- DER in base64. Unset for providers from before.
alter table saml_providers add column metadata_xml text;
alter table saml_providers add column certificates text;
