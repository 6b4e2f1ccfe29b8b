-- Keys with which people and collectors sign requests, and one-time passwords.

create table api_tokens (
  id text primary key,
  user_id text references users (id),
  client_id text references clients (id),
  name text,
  -- encrypted: a signature can only be checked by who has the key itself
  sealed_key text not null,
  hmac_method text not null,
  replay_protection integer not null,
  last_access bigint,
  expires_at bigint,
  created_by text,
  created_at bigint not null,
  updated_at bigint not null
);
create index api_tokens_user on api_tokens (user_id);
create index api_tokens_client on api_tokens (client_id);

-- What tokens with replay protection have been used for, until the signature is too old anyway.
create table used_signatures (
  token_id text not null references api_tokens (id),
  signature text not null,
  forget_at bigint not null,
  primary key (token_id, signature)
);
create index used_signatures_forget on used_signatures (forget_at);

-- Encrypted; there from the enrolment on, in force once it is activated.
alter table auth_secrets add column totp_seed text;
-- A code works once: none of this time step or an earlier one is taken again.
alter table auth_secrets add column totp_used_step bigint;
