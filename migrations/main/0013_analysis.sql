-- Who wants the graph to be analysed, and who is at it.

create table analysis_requests (
  id identity,
  asked_at bigint not null,
  -- what it follows from: request, schedule, clear, expiry, job 7, upload 7
  reason text not null,
  -- a JSON object: who asked
  origin text not null
);

-- One row.
create table analysis_state (
  id integer primary key,
  -- who runs one, and until when that is believed without hearing more
  runner text,
  lease_until bigint,
  -- the last request that it takes
  request_id bigint,
  stage text,
  percent integer,
  -- how often in a row it broke off
  failures integer not null,
  -- the last request that was given up
  given_up bigint not null,
  -- the schedule's rule as it was last looked at, and when it is due
  rrule text not null,
  next_at bigint
);
insert into analysis_state (id, failures, given_up, rrule) values (1, 0, 0, '');

-- The request that analyzing ones wait for.
alter table jobs add column analysis_request_id bigint;
alter table uploads add column analysis_request_id bigint;
