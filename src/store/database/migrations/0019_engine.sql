-- The delivery engine in two trips per batch.

-- For what must hold and is known to: a batch whose statements travel with their commit is judged by the database itself.
create function expect_rows(changed bigint, wanted bigint) returns void language plpgsql as $$
begin
  if changed <> wanted then
    raise exception 'expected % rows to change, and % did', wanted, changed using errcode = 'P0004';
  end if;
end
$$;

-- Counters in parts: who records answers and who records reports do not wait for each other's commit.
alter table client_counter add column part smallint not null default 0;
alter table client_counter drop constraint client_counter_pkey;
alter table client_counter add primary key (client_id, part);

-- Being submitted is what a claim on its place in the queue says.
update message set status = 'queued' where status = 'submitting';

-- Where a message waits are two columns; whose it is, so that workspaces take turns and then their clients (D43); and a claim changes
-- nothing that is indexed.
alter domain delivery_lane rename to delivery_priority;
alter table delivery_queue rename column lane to priority;
alter table delivery_queue
  add column avoid_carrier_id uuid not null default '00000000-0000-0000-0000-000000000000',
  add column workspace_id uuid,
  add column client_id uuid,
  add column leased_until timestamptz;
update delivery_queue queued set
  destination = split_part(queued.destination, '~', 1),
  avoid_carrier_id = coalesce(nullif(split_part(queued.destination, '~', 2), '')::uuid, queued.avoid_carrier_id),
  workspace_id = message.workspace_id, client_id = message.client_id,
  leased_until = case when claim_id is not null then due_at end
from message where message.id = queued.message_id;
alter table delivery_queue
  alter column avoid_carrier_id drop default,
  alter column workspace_id set not null,
  alter column client_id set not null,
  add check ((claim_id is null) = (leased_until is null));
drop index delivery_queue_due;
create index delivery_queue_turn on delivery_queue (
  destination, avoid_carrier_id, priority, workspace_id, client_id, due_at);

-- A number is a phone number; which of a message's submissions it was, is an ordinal. And an outcome says what follows from it.
alter table submission rename column number to ordinal;
alter table report rename column number to ordinal;
alter domain submission_number rename to submission_ordinal;
do $$
begin
  execute format('alter domain submission_outcome drop constraint %I', (
    select conname from pg_constraint where contypid = 'submission_outcome'::regtype and contype = 'c'));
end
$$;
update submission set outcome = 'retry_twice' where outcome = 'twice';
alter domain submission_outcome add constraint submission_outcome_check check (
  value in ('open', 'taken', 'slow', 'elsewhere', 'unwritten', 'unknown', 'retry_twice', 'refused'));
update carrier set status_overrides = replace(status_overrides::text, '"twice"', '"retry_twice"')::jsonb
where status_overrides::text like '%"twice"%';
