-- What the operator looks at: how fast it goes, receipts that nobody was found for, tests of carriers; and how far a workspace has come.

-- What a process did with carriers in the last minute, written with the sign that it lives: segments, by how they came out.
alter table delivery_process
  add column taken integer not null default 0,
  add column refused integer not null default 0,
  add column delivered integer not null default 0,
  add column undelivered integer not null default 0;

-- Receipts that belonged to nothing a minute after they came: the latest of each carrier, and how many there were in each hour.
create table unmatched_receipt (
  carrier_id uuid not null references carrier on delete cascade,
  id uuid not null,
  reference text not null,
  to_number text not null,
  state text not null,
  code text not null,
  raw text not null,
  received_at timestamptz not null,
  primary key (carrier_id, id)
);
create table unmatched_hour (
  carrier_id uuid not null references carrier on delete cascade,
  hour timestamptz not null,
  receipts bigint not null,
  primary key (carrier_id, hour)
) with (fillfactor = 50);

-- A carrier is asked whether it is there, on each of its binds, by the process that holds it; and may be given one message.
create table carrier_test (
  id uuid primary key,
  carrier_id uuid not null references carrier on delete cascade,
  asked_at timestamptz not null,
  to_number text,
  text text,
  outcome submission_outcome,
  command_status bigint,
  carrier_message_id text,
  reference text,
  milliseconds real,
  answered_at timestamptz,
  report_state text,
  report_code text,
  report_raw text,
  reported_at timestamptz,
  check ((to_number is null) = (text is null)),
  check ((outcome is null) = (answered_at is null)),
  check (to_number is not null or outcome is null),
  check ((report_state is null) = (reported_at is null))
);
create index carrier_test_carrier on carrier_test (carrier_id, id);
create index carrier_test_reference on carrier_test (carrier_id, reference) where reference is not null;
create table carrier_test_bind (
  test_id uuid not null references carrier_test on delete cascade,
  number smallint not null,
  -- How it was when it was asked, and whose it is to answer.
  mode text not null,
  state text not null,
  bound_at timestamptz,
  holder uuid,
  -- Whether it gives the message to the carrier.
  sends boolean not null,
  begun_at timestamptz,
  milliseconds real,
  fault text,
  answered_at timestamptz,
  primary key (test_id, number),
  check (num_nonnulls(milliseconds, fault) = num_nonnulls(answered_at))
);
create index carrier_test_bind_holder on carrier_test_bind (holder) where begun_at is null;

-- When a workspace first did what a beginner does: kept, since what it is seen by is swept away in time.
create table workspace_start (
  workspace_id uuid primary key references workspace,
  key_used_at timestamptz,
  message_at timestamptz,
  code_verified_at timestamptz,
  webhook_at timestamptz
);
