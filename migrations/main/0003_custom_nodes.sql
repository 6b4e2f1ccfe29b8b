-- How a kind of node is shown. The built-in kinds are rows like any other, but can't be changed.

create table custom_node_kinds (
  id identity,
  kind_name text not null unique,
  icon_type text not null,
  icon_name text not null,
  icon_color text not null,
  built_in integer not null,
  created_at bigint not null,
  updated_at bigint not null
);
