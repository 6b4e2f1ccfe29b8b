-- A token is suspended by itself, so that one made afterwards can be used: when an administrator resets or removes
-- the password of its user, or when the user's provider is deleted.
alter table api_tokens add column suspended integer not null default 0;
update api_tokens set suspended = 1 where user_id in (select id from users where tokens_suspended = 1);
alter table users drop column tokens_suspended;
