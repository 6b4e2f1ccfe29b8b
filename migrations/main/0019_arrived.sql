-- What a job brought, in numbers, as JSON: counted when it arrives and when it is read.
alter table jobs add column arrived text not null default '{}';
