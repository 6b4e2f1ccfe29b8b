-- How old a signed request can be: only its local hour is signed, not the zone.

-- Hours that a token has signed and when the first request of each arrived, until no zone could make it look new.
create table signed_hours (
  token_id text not null references api_tokens (id),
  -- as if it were in UTC
  signed_hour bigint not null,
  first_used_at bigint not null,
  primary key (token_id, signed_hour)
);

-- The zone of a token's requests, in minutes east of UTC.
create table token_zones (
  token_id text primary key references api_tokens (id),
  zone integer not null,
  -- one further west that is not believed yet
  claimed_zone integer,
  claimed_hour bigint,
  claimed_since bigint,
  -- refusals since the last one that has an audit record
  refused integer not null,
  recorded_at bigint
);
