-- What holds up guessing: failed and unfinished attempts, where people have signed in from, and how often a
-- one-time password was wrong. Attempts are forgotten within an hour, so the former table has nothing to keep.

drop table sign_in_attempts;
create table sign_in_attempts (
  id text primary key,
  -- keyed, because people type passwords into the wrong field
  name_hash text not null,
  -- an IPv4 address or the /64 of an IPv6 address
  place text not null,
  at bigint not null,
  forget_at bigint not null,
  -- 0 while it is looked at
  failed integer not null
);
create index sign_in_attempts_place on sign_in_attempts (place, at);
create index sign_in_attempts_name on sign_in_attempts (name_hash, at);
create index sign_in_attempts_at on sign_in_attempts (at);
create index sign_in_attempts_forget on sign_in_attempts (forget_at);

create table sign_in_places (
  user_id text not null,
  place text not null,
  last_at bigint not null,
  primary key (user_id, place)
);

create table one_time_password_failures (
  user_id text primary key,
  failures integer not null,
  -- of the first of them
  since bigint not null,
  paused_until bigint not null
);
