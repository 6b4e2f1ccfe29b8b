-- Signs of life of a running job, and of its collector having gone on without it.

-- its start, jobs/current that named it, or something that was sent for it
alter table jobs add column heard_at bigint;
-- its collector has asked for other jobs since then, with short pauses and no sign of life of this one between
alter table jobs add column asked_since bigint;
alter table jobs add column asked_at bigint;
-- 1: somebody asked for other jobs while it was alive, so the collector is more than one process
alter table jobs add column is_shared integer not null default 0;
alter table jobs add column abandoned_at bigint;
create index jobs_abandoned on jobs (abandoned_at);
