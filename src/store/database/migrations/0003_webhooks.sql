-- Webhook events (§6): written in the transaction of the change they tell of, posted from a queue, history kept 7 days.

create table webhook_event (
  -- The value of the x-svc-delivery header: every posting of the event carries it.
  delivery_id uuid primary key,
  client_id uuid not null,
  name text not null check (name in ('message.status', 'message.inbound')),
  -- Of message.status: never twice for the same message and status (§6.2 rule 3).
  message_id uuid,
  webhook_status text check (webhook_status in ('queued', 'sent', 'delivered', 'undelivered', 'failed')),
  -- The exact bytes of every posting (§6.3 rule 3).
  body bytea not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
  dead_because text check (dead_because in ('postings_used_up', 'refused_for_good', 'no_url', 'never_finished')),
  created_at timestamptz not null,
  ended_at timestamptz,
  check ((message_id is null) = (webhook_status is null)),
  check ((state = 'pending') = (ended_at is null)),
  check ((state = 'dead') = (dead_because is not null))
) with (fillfactor = 80);
create unique index webhook_event_once on webhook_event (message_id, webhook_status) where message_id is not null;
create index webhook_event_client on webhook_event (client_id, delivery_id);
-- By the column that a success leaves alone, so that a success touches no index.
create index webhook_event_dead on webhook_event (client_id, delivery_id) where dead_because is not null;

-- Live work only. due_at is also the end of a claim, so a claim that was lost falls due by itself.
create table webhook_queue (
  delivery_id uuid primary key,
  client_id uuid not null,
  -- Posted before, so it gives way to news: a retry, or sent again on request.
  retry boolean not null default false,
  due_at timestamptz not null,
  claim_id uuid,
  -- Postings of this round whose result is recorded, and claims since the last of them.
  postings smallint not null default 0,
  claims int not null default 0
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index webhook_queue_due on webhook_queue (retry, client_id, due_at);

create table posting (
  delivery_id uuid not null,
  -- One claim makes at most one posting, and claims of one delivery rise.
  claim_id uuid not null,
  url text not null,
  posted_at timestamptz not null,
  milliseconds int not null,
  status_code smallint,
  -- In plain words, when no answer came.
  failure text,
  -- Up to 16 KiB of what the receiver answered.
  answer_head bytea,
  primary key (delivery_id, claim_id),
  check ((status_code is null) <> (failure is null))
);
