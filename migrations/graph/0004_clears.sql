-- What somebody asked to be deleted; the deletion itself goes on in the background, even after a restart.
create table clears (
  id identity,
  asked_at bigint not null,
  -- JSON objects: what to delete, who asked, and how much is gone
  wish text not null,
  origin text not null,
  deleted text not null,
  finished_at bigint
);
create index clears_finished on clears (finished_at, id);
