-- What an analysis made up for want of a statement, as JSON: the kinds it added and the names of the properties it set.
-- Whatever is stated takes its place.
alter table nodes add column made_up text;

-- Names that were made up until now. The record of such an object may have been overwritten: it is applied when it
-- comes again.
update nodes set made_up = '{"kinds":[],"properties":["name","domainsid"]}', record_hash = null
where object_id like 'S-1-5-21-%' and name like '(%) S-1-5-21-%'
  and substr(name, length(name) - length(object_id)) = ' ' || object_id;
update nodes set made_up = '{"kinds":[],"properties":["name"]}'
where name <> '' and properties like '%"displayname"%'
  and kind_list_id in (select id from kind_lists where kinds like '%"AZManagementGroup"%');
