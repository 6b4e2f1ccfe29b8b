-- Everything up to here has had its job: no occurrence is taken twice, even if the clock goes back.
alter table events add column handled_until bigint;
