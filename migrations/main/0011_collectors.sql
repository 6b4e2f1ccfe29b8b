-- What collectors reported, the latest hundred of each. No reference to clients: it belongs to the log of their
-- jobs, which outlive them.

create table client_errors (
  id identity,
  client_id text not null,
  at bigint not null,
  message text not null
);
create index client_errors_client on client_errors (client_id, id);
