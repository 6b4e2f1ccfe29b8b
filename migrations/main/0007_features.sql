-- What can be switched on and off. Names and descriptions are the program's; a row only says how it is set.

create table feature_flags (
  id identity,
  key text not null unique,
  enabled integer not null,
  created_at bigint not null,
  updated_at bigint not null
);

-- Parameters get an id that stays. A column of that sort can't be added to a table, so it is made anew.

alter table parameters rename to parameters_without_id;

create table parameters (
  id identity,
  key text not null unique,
  value text not null,
  created_at bigint not null,
  updated_at bigint not null
);

insert into parameters (key, value, created_at, updated_at)
  select key, value, created_at, updated_at from parameters_without_id order by key;

drop table parameters_without_id;
