-- What an owner may do to neighbours has a bound, and what the operator has set stays (D43).

-- How many clients a workspace may have; the operator's to change.
create domain client_count as int check (value between 0 and 1000);
alter table workspace add column max_clients client_count not null default 20;

-- The bounds the operator has put on a client's restrictions, by field: an owner may be stricter, never looser. What holds
-- stands where it stood.
alter table client add column operator_restrictions jsonb not null default '{}';
-- A client that the operator has disabled is enabled by the operator alone.
alter table client add column disabled_by text check (disabled_by in ('operator', 'owner'));
update client set disabled_by = coalesce((
    select case actor when 'operator' then 'operator' else 'owner' end from audit_entry
    where audit_entry.workspace_id = client.workspace_id and action = 'client.disabled' and subject = client.id::text
    order by id desc limit 1), 'operator')
where disabled_at is not null;
alter table client add constraint client_disabled_by check ((disabled_by is null) = (disabled_at is null));

-- Postings are fair by workspace, then by client.
alter table webhook_queue add column workspace_id uuid;
update webhook_queue set workspace_id = client.workspace_id from client where client.id = webhook_queue.client_id;
alter table webhook_queue alter column workspace_id set not null, alter column workspace_id set statistics 10;
drop index webhook_queue_due;
create index webhook_queue_due on webhook_queue (retry, workspace_id, client_id, due_at);

-- The status, where it is one that few messages have, written with it: so that these are found by an index, while all other
-- changes of status touch none. An index with `status` in it would end that, for it changes with every step of every message.
alter table message add column rare_status text;
update message set rare_status = status where status in ('failed', 'undelivered', 'rejected', 'test');
alter table message alter column rare_status set statistics 10;
create index message_rare on message (workspace_id, rare_status, id) where rare_status is not null;
create index message_test on message (id) where rare_status = 'test';
