-- Delivery over SMPP: carriers and who holds their binds, routes, every submission and report, and replies.

create table carrier (
  id uuid primary key,
  name text not null check (length(name) between 1 and 100),
  host text not null check (length(host) between 1 and 253),
  port int not null check (port between 1 and 65535),
  tls boolean not null,
  system_id text not null check (length(system_id) between 1 and 15),
  password_sealed bytea not null,
  system_type text not null check (length(system_type) <= 12),
  bind_mode text not null check (bind_mode in ('transceiver', 'separate')),
  binds smallint not null check (binds between 1 and 50),
  -- Submissions without an answer that one bind may have.
  window_size smallint not null check (window_size between 1 and 1000),
  answer_seconds smallint not null check (answer_seconds between 1 and 300),
  -- Of the whole account; null is unlimited.
  segments_per_second int check (segments_per_second between 1 and 100000),
  -- How message ids are written in answers and in reports; often not the same way.
  answer_id_format text not null check (answer_id_format in ('opaque', 'hex', 'decimal')),
  report_id_format text not null check (report_id_format in ('opaque', 'hex', 'decimal')),
  alphabet text not null check (alphabet in ('gsm', 'latin1', 'ascii')),
  long_messages text not null check (long_messages in ('udh', 'sar', 'payload')),
  -- null: chosen by the look of the sender.
  source_ton smallint check (source_ton between 0 and 255),
  source_npi smallint check (source_npi between 0 and 255),
  -- Rows of our table of answers and reports that this carrier reads differently.
  status_overrides jsonb not null,
  -- D15
  resend_unknown boolean not null,
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint carrier_name unique (name)
);

-- A bind is held by one process at a time, for as long as it renews its lease; beside it, how the bind does.
create table carrier_bind (
  carrier_id uuid not null references carrier on delete cascade,
  number smallint not null check (number >= 1),
  mode text not null check (mode in ('transceiver', 'transmitter', 'receiver')),
  holder uuid,
  leased_until timestamptz,
  state text not null default 'idle' check (state in ('idle', 'connecting', 'bound', 'waiting')),
  bound_at timestamptz,
  in_flight int not null default 0,
  segments_per_second real not null default 0,
  last_error text,
  last_error_at timestamptz,
  primary key (carrier_id, number),
  check ((holder is null) = (leased_until is null)),
  check (holder is not null or state = 'idle'),
  check ((state = 'bound') = (bound_at is not null)),
  check ((last_error is null) = (last_error_at is null))
) with (fillfactor = 50);

-- The delivery processes that live, among which the binds are shared out.
create table delivery_process (
  id uuid primary key,
  seen_until timestamptz not null
) with (fillfactor = 50);

create table route (
  id uuid primary key,
  -- '*' serves what no route of the country itself does.
  country text not null check (country ~ '^([A-Z]{2}|\*)$'),
  -- Beginnings of E.164 numbers; none is the whole country.
  prefixes text[] not null,
  types text[] check (types <@ array['transactional', 'otp', 'promotional']),
  carrier_id uuid not null,
  priority int not null check (priority between 0 and 1000000),
  -- Whether messages that were queued before it are queued under its prefixes by now.
  sorted boolean not null default false,
  created_at timestamptz not null,
  constraint route_carrier foreign key (carrier_id) references carrier,
  check (country <> '*' or prefixes = '{}')
);

-- How often a message was claimed; its submissions are numbered by it.
alter table delivery_queue add column claims int not null default 0;
-- Expired codes are found without walking past the backlog of other messages.
create index delivery_queue_otp on delivery_queue (message_id) where lane = 0;

-- One row per segment and submission, written before the wire: what may have been sent is never forgotten.
create table submission (
  message_id uuid not null,
  number int not null check (number >= 1),
  segment smallint not null check (segment between 1 and of_segments),
  of_segments smallint not null check (of_segments between 1 and 6),
  carrier_id uuid not null,
  to_number text not null,
  outcome text not null default 'open' check (outcome in
    ('open', 'taken', 'slow', 'elsewhere', 'unwritten', 'unknown', 'twice', 'refused')),
  -- The neutral code of a refusal for good.
  error text not null default '' check (error in
    ('', 'network_unavailable', 'delivery_timeout', 'carrier_rejected', 'invalid_number', 'delivery_failed')),
  command_status bigint,
  -- The carrier's id of the segment as it wrote it, and in the one spelling that is compared.
  carrier_message_id text,
  reference text,
  claimed_at timestamptz not null,
  answered_at timestamptz,
  primary key (message_id, number, segment),
  check ((outcome = 'open') = (answered_at is null)),
  check ((outcome = 'refused') = (error <> '')),
  check (outcome = 'taken' or reference is null)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index submission_reference on submission (carrier_id, reference) where reference is not null;
create index submission_unknown on submission (carrier_id, to_number) where outcome = 'unknown';

-- Every report of a carrier on a segment, as it came.
create table report (
  message_id uuid not null,
  id uuid not null,
  number int not null,
  segment smallint not null,
  status text not null check (status in ('pending', 'delivered', 'undelivered', 'rejected')),
  error text not null check (error in
    ('', 'network_unavailable', 'delivery_timeout', 'carrier_rejected', 'invalid_number', 'delivery_failed')),
  state text not null,
  code text not null,
  raw text not null,
  received_at timestamptz not null,
  primary key (message_id, id)
);

-- Reports that fit no submission (yet): a report may overtake the answer to its submission, or be somebody else's.
create table orphan_report (
  id uuid primary key,
  carrier_id uuid not null,
  reference text not null,
  to_number text not null,
  status text not null,
  error text not null,
  state text not null,
  code text not null,
  raw text not null,
  received_at timestamptz not null,
  looks smallint not null default 0,
  look_at timestamptz not null
);
create index orphan_report_reference on orphan_report (carrier_id, reference);
create index orphan_report_look on orphan_report (look_at);

-- D13, D15: every message up to this id has been seen to its end.
create table deadline_mark (
  kind text primary key check (kind in ('otp', 'other')),
  swept_to uuid not null
);
insert into deadline_mark (kind, swept_to) values
  ('otp', '00000000-0000-0000-0000-000000000000'),
  ('other', '00000000-0000-0000-0000-000000000000');

-- Replies (§6.2), attributed by D18. Without a client they are for the operator to look at.
create table inbound_message (
  id uuid primary key,
  carrier_id uuid not null,
  workspace_id uuid,
  client_id uuid,
  from_number text not null,
  to_address text not null,
  text text not null,
  in_reply_to uuid,
  received_at timestamptz not null,
  check ((workspace_id is null) = (client_id is null)),
  check (client_id is not null or in_reply_to is null)
);
create index inbound_message_client on inbound_message (client_id, id);

-- The parts of a long reply, until all of them are here.
create table inbound_part (
  carrier_id uuid not null,
  from_number text not null,
  to_address text not null,
  reference int not null,
  reference_bits smallint not null check (reference_bits in (8, 16)),
  total smallint not null check (total between 2 and 255),
  part smallint not null check (part between 1 and total),
  text text not null,
  received_at timestamptz not null,
  primary key (carrier_id, from_number, to_address, reference, reference_bits, total, part)
);
create index inbound_part_age on inbound_part (received_at);

-- What carriers have delivered lately, so that a reply, or a part of one, that is delivered again is known.
create table inbound_seen (
  fingerprint text primary key,
  seen_at timestamptz not null
);
create index inbound_seen_age on inbound_seen (seen_at);
