-- Delivery in batches. A queue row holds the messages that one batch accepted for one group and client; a claim is one row; a submission
-- is inserted once, with its outcome.
lock table delivery_queue, submission in access exclusive mode;

-- Messages that a process is submitting now. Committed before the first byte is sent, and deleted with the last answer. After
-- `leased_until`, segments without a submission have the outcome unknown (D15).
create table claim (
  id uuid primary key,
  carrier_id uuid not null,
  claimed_at timestamptz not null,
  leased_until timestamptz not null,
  receipts receipt_rule,
  -- One entry per message in each array.
  message_ids uuid[] not null,
  ordinals int[] not null,
  -- The submitted segments as bits: 1 is the first segment, 2 the second, 4 the third.
  segments smallint[] not null,
  segment_counts smallint[] not null,
  senders text[] not null,
  costs_e4 bigint[] not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

insert into claim (
  id, carrier_id, claimed_at, leased_until, receipts, message_ids, ordinals, segments, segment_counts, senders, costs_e4)
select claim_id, carrier_id, min(claimed_at), max(leased_until), max(receipts), array_agg(message_id), array_agg(ordinal), array_agg(segments),
  array_agg(segment_count), array_agg(sender), array_agg(cost_e4)
from (
  select claim_id, leased_until, carrier_id, submission.message_id, ordinal, min(claimed_at) as claimed_at, max(receipts::text) as receipts,
    sum(1 << (segment - 1))::smallint as segments, max(segment_count)::smallint as segment_count, max(coalesce(sender, '')) as sender,
    max(cost_e4) as cost_e4
  from delivery_queue queued join submission on submission.message_id = queued.message_id
  where claim_id is not null and outcome = 'open'
  group by claim_id, leased_until, carrier_id, submission.message_id, ordinal
) as claimed
group by claim_id, carrier_id;

-- Room for the two updates of each message in its page, so that they write no index entries. For pages that are written from now on.
alter table message set (fillfactor = 50);

alter table delivery_queue rename to former_queue;
alter table former_queue rename constraint delivery_queue_pkey to former_queue_pkey;
alter index delivery_queue_order rename to former_queue_order;

-- Rows are inserted and deleted, never updated.
create table delivery_queue (
  priority delivery_priority not null,
  -- A message is in at most one row. Ids are in time order, so the key finds expired messages, OTPs first.
  first_message_id uuid not null,
  message_ids uuid[] not null,
  -- The destination as far as routes distinguish it: a carrier that is down delays only its own destinations.
  destination text not null,
  -- The carrier that rejected the message last, or zeros.
  avoid_carrier_id uuid not null,
  -- D43: workspaces take turns, then their clients.
  workspace_id uuid not null,
  client_id uuid not null,
  due_at timestamptz not null,
  -- The number of earlier submissions. A message that was submitted before has a row of its own.
  attempts int not null default 0,
  constraint delivery_queue_pkey primary key (priority, first_message_id),
  constraint delivery_queue_messages check (message_ids[1] = first_message_id and (attempts = 0 or cardinality(message_ids) = 1))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

insert into delivery_queue (
  priority, first_message_id, message_ids, destination, avoid_carrier_id, workspace_id, client_id, due_at, attempts)
select priority, message_id, array[message_id], destination, avoid_carrier_id, workspace_id, client_id, due_at, claims
from former_queue
where claim_id is null or not exists (
  select from submission where submission.message_id = former_queue.message_id and outcome = 'open');
create index delivery_queue_order on delivery_queue (destination, avoid_carrier_id, priority, workspace_id, client_id, due_at);

delete from submission using former_queue queued
where submission.message_id = queued.message_id and queued.claim_id is not null and outcome = 'open';
drop table former_queue;

-- Not validated: reading every submission would take too long under this lock.
alter table submission drop constraint submission_answered, alter column outcome drop default;
alter domain submission_outcome drop constraint submission_outcome_check;
alter domain submission_outcome add constraint submission_outcome_check check (
  value in ('accepted', 'throttled', 'other_carrier', 'unwritten', 'unknown', 'retryable', 'rejected')) not valid;
alter table submission add constraint submission_answered check (answered_at is not null) not valid;
