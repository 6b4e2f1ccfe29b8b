-- Who may do what: people, their roles and secrets, providers they sign in through, sessions, and the record
-- of every change. Types: `identity` is a row id that is never used twice; times are epoch milliseconds.

create table instance_facts (
  name text primary key,
  value text not null
);

-- One number that moves with every change of what processes may cache: sessions, roles, parameters.
create table change_counter (
  id integer primary key,
  value bigint not null
);

create table permissions (
  id integer primary key,
  authority text not null,
  name text not null,
  created_at bigint not null,
  updated_at bigint not null,
  unique (authority, name)
);

create table roles (
  id integer primary key,
  name text not null unique,
  description text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create table role_permissions (
  role_id integer not null references roles (id),
  permission_id integer not null references permissions (id),
  primary key (role_id, permission_id)
);

create table sso_providers (
  id identity,
  name text not null unique,
  slug text not null unique,
  type text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create table saml_providers (
  id identity,
  sso_provider_id bigint not null unique references sso_providers (id),
  name text not null,
  display_name text not null,
  idp_issuer_uri text not null,
  idp_sso_uri text not null,
  principal_attribute_mappings text not null,
  created_at bigint not null,
  updated_at bigint not null
);

create table users (
  id text primary key,
  principal_name text not null unique,
  first_name text,
  last_name text,
  email_address text,
  -- lower case, for a sign-in that does not care about case
  email_key text unique,
  role_id integer not null references roles (id),
  sso_provider_id bigint references sso_providers (id),
  is_disabled integer not null,
  eula_accepted integer not null,
  -- set when the user's provider is deleted, until an administrator gives them a new way in
  tokens_suspended integer not null default 0,
  last_login bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create index users_sso_provider on users (sso_provider_id, principal_name);
create index users_role on users (role_id);

create table auth_secrets (
  id identity,
  user_id text not null unique references users (id),
  digest text not null,
  digest_method text not null,
  -- nobody knows a locked secret; only an administrator's reset replaces it
  locked integer not null,
  expires_at bigint not null,
  totp_activated integer not null,
  created_at bigint not null,
  updated_at bigint not null
);

create table clients (
  id text primary key,
  name text not null unique,
  type text not null,
  ip_address text not null,
  hostname text not null,
  configured_user text not null,
  user_sid text,
  version text not null,
  domain_controller text,
  last_checkin bigint,
  created_at bigint not null,
  updated_at bigint not null
);

create table sessions (
  id text primary key,
  user_id text references users (id),
  client_id text references clients (id),
  created_at bigint not null,
  expires_at bigint not null,
  ended_at bigint
);
create index sessions_user on sessions (user_id);
create index sessions_client on sessions (client_id);
create index sessions_expiry on sessions (expires_at);

-- Sign-in attempts of the last minute, failed or under way. The name is stored as a keyed hash: people type
-- passwords into the wrong field.
create table sign_in_attempts (
  id text primary key,
  name_hash text not null,
  address text not null,
  at bigint not null
);
create index sign_in_attempts_address on sign_in_attempts (address, at);
create index sign_in_attempts_name on sign_in_attempts (name_hash, address, at);
create index sign_in_attempts_at on sign_in_attempts (at);

create table audit_log (
  id identity,
  created_at bigint not null,
  actor_kind text not null,
  actor_id text not null,
  actor_name text not null,
  action text not null,
  outcome text not null,
  fields text not null,
  request_id text not null,
  source_address text not null
);
create index audit_log_created on audit_log (created_at);

create table parameters (
  key text primary key,
  value text not null,
  created_at bigint not null,
  updated_at bigint not null
);
