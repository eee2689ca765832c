-- The whole schema of version 0.1.0. It has the number 100 because databases of earlier versions have the migrations 1 to 54: a process
-- of such a version finds a higher number than its own, is not ready and stops its work (../bridge-from-0054.sql converts its database).
-- Times come from the service's clock.

-- Domains. PostgreSQL parses a CHECK of a table again for every statement that writes the table, and evaluates all of them for each row.
-- It parses a domain once per connection, and evaluates it only when its column is written. Checks over several columns stay checks.

create domain amount_e4 as bigint check (value between 0 and 9000000000000000);
create domain price_e4 as bigint check (value between 0 and 1000000000000);
create domain charge_e4 as bigint check (value > 0);
create domain client_count as int check (value between 0 and 1000);
create domain segment_count as smallint check (value between 1 and 6);
create domain submission_ordinal as int check (value >= 1);
-- D16: 0 otp, 1 transactional, 2 promotional.
create domain delivery_priority as smallint check (value between 0 and 2);

create domain title as text check (length(value) between 1 and 100);
create domain country_code as text check (value ~ '^[A-Z]{2}$');
create domain currency_code as text check (value ~ '^[A-Z]{3}$');
create domain email_address as text check (length(value) <= 254 and value ~ '^[^\s@]+@[^\s@]+$' and value = lower(value));
create domain sender_address as text check (value ~ '^[ -~]{1,20}$');
create domain secret_hash as bytea check (length(value) = 32);

create domain workspace_plan as text check (value in ('standard', 'enterprise'));
create domain workspace_status as text check (value in ('pending', 'active', 'suspended'));
create domain workspace_role as text check (value in ('owner', 'developer', 'viewer'));
create domain ledger_kind as text check (value in ('grant', 'topUp', 'reservation', 'refund', 'expiry'));
create domain message_type as text check (value in ('transactional', 'otp', 'promotional'));
create domain message_types as text[] check (value <@ array['transactional', 'otp', 'promotional']);
create domain message_status as text check (
  value in ('queued', 'submitting', 'submitted', 'sent', 'delivered', 'undelivered', 'failed', 'rejected', 'test'));
create domain message_error as text check (
  value in ('', 'network_unavailable', 'delivery_timeout', 'carrier_rejected', 'invalid_number', 'delivery_failed'));
create domain text_encoding as text check (value in ('GSM7', 'UCS2'));
create domain submission_outcome as text check (
  value in ('open', 'accepted', 'throttled', 'other_carrier', 'unwritten', 'unknown', 'retryable', 'rejected'));
create domain receipt_rule as text check (value in ('one', 'none'));
create domain otp_stage as text check (value in ('sent', 'delivered', 'verified'));
create domain event_name as text check (value in ('message.status', 'message.inbound'));
create domain event_status as text check (value in ('queued', 'sent', 'delivered', 'undelivered', 'failed'));
create domain event_state as text check (value in ('pending', 'delivered', 'failed'));
create domain event_failure_reason as text check (value in ('retries_exhausted', 'rejected', 'no_url', 'abandoned'));

-- Functions

create function reject_change() returns trigger language plpgsql as $$
begin
  raise exception 'table % is append-only', tg_table_name;
end
$$;

-- A batch whose statements are sent together with their commit cannot check a row count before the commit: the database checks it.
create function expect_rows(changed bigint, wanted bigint) returns void language plpgsql as $$
begin
  if changed <> wanted then
    raise exception 'expected % rows to change, and % did', wanted, changed using errcode = 'P0004';
  end if;
end
$$;

-- D26: the content of a token bucket that refills at its size per second.
create function filled_bucket(tokens double precision, size double precision, since timestamptz, until timestamptz)
returns double precision language sql immutable
return least(size, tokens + size * greatest(0, date_part('epoch', until - since)));

-- Service

create table service (
  only_row boolean primary key default true check (only_row),
  sms_enabled boolean not null default true,
  -- The last time of a manual clock, so that time does not go back at a restart.
  manual_clock_at timestamptz,
  demo_created_at timestamptz,
  -- Increases with every change of routes, carriers, prices and policies, so that a claim with outdated routes is detected.
  routing_revision bigint not null default 0
);
insert into service default values;

-- The keys that the database was used with: a start with other keys is rejected.
create table keyring_key (
  purpose text not null check (purpose in ('codes', 'texts', 'secrets')),
  key_id text not null,
  fingerprint text not null,
  primary key (purpose, key_id)
);

-- /readyz writes one row per process, so that a read-only database is detected.
create table readiness_probe (
  process_id uuid primary key,
  written_at timestamptz not null
);

create table country (
  code text primary key constraint country_code_check check (code ~ '^[A-Z]{2}$'),
  name text not null check (length(name) between 1 and 100),
  state text not null check (state in ('live', 'comingSoon', 'off')),
  time_zone text not null,
  -- D16: promotional messages wait in these hours; null for none.
  quiet_from text check (quiet_from ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  quiet_to text check (quiet_to ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  -- D62: how a route is chosen.
  policy text not null default 'weighted' check (policy in ('weighted', 'priority', 'cheapest')),
  constraint country_quiet_hours check ((quiet_from is null) = (quiet_to is null))
);
insert into country (code, name, state, time_zone, quiet_from, quiet_to) values
  ('NP', 'Nepal', 'live', 'Asia/Kathmandu', '20:00', '08:00'),
  ('IN', 'India', 'comingSoon', 'Asia/Kolkata', '20:00', '08:00'),
  ('BD', 'Bangladesh', 'comingSoon', 'Asia/Dhaka', '20:00', '08:00');

-- Workspaces and money

create table workspace (
  id uuid primary key,
  name title not null,
  country country_code not null,
  currency currency_code not null,
  time_zone text not null,
  plan workspace_plan not null,
  status workspace_status not null,
  monthly_credit_e4 amount_e4 not null,
  transactional_price_e4 price_e4 not null,
  otp_price_e4 price_e4 not null,
  promotional_price_e4 price_e4 not null,
  allowed_types message_types not null,
  -- null: all live countries.
  allowed_countries text[],
  max_clients client_count not null default 20,
  templates_required boolean not null,
  -- Increases with every review, so that a compiled set of templates is known to be outdated.
  templates_revision bigint not null default 0,
  -- D57: values by name that carriers need besides a message.
  carrier_fields jsonb not null default '{}',
  -- D8: the sum of the ledger, never below zero.
  balance_e4 amount_e4 not null default 0,
  -- A low-balance alert; null for none.
  low_credit_e4 amount_e4,
  -- D9: the open month in the time zone of the workspace, and its end.
  period date not null,
  period_ends_at timestamptz not null,
  -- The ledger is listed by id. Ids are created under the lock of the workspace, each above this one, whatever the clocks of processes show.
  last_ledger_entry_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- §2.3
  constraint promotional_is_enterprise check (plan = 'enterprise' or not 'promotional' = any (allowed_types))
) with (fillfactor = 50);
create index workspace_period_end on workspace (period_ends_at);

-- The time of each first step of a workspace. The rows that show a step are deleted in time.
create table onboarding (
  workspace_id uuid primary key references workspace,
  key_used_at timestamptz,
  message_sent_at timestamptz,
  code_verified_at timestamptz,
  webhook_delivered_at timestamptz
);

-- D8: append-only. Each entry moves one amount from one account to another, so the sum over all accounts is zero.
create table ledger_entry (
  -- No foreign key: rows are written under the lock of the workspace, which is never deleted.
  workspace_id uuid not null,
  id uuid not null,
  period date not null,
  kind ledger_kind not null,
  amount_e4 charge_e4 not null,
  balance_e4 amount_e4 not null,
  message_id uuid,
  -- A reservation pays for this many messages, which were accepted together and reference it.
  messages integer,
  note text,
  at timestamptz not null,
  primary key (workspace_id, id),
  constraint ledger_entry_reservation check ((kind = 'reservation') = (messages is not null) and messages > 0),
  constraint ledger_entry_of_message check (
    case kind when 'reservation' then message_id is null when 'refund' then message_id is not null else true end)
);
-- At most one refund and one expiry of a late refund per message.
create unique index ledger_entry_message on ledger_entry (message_id, kind) where message_id is not null;
-- A period is opened once and closed once.
create unique index ledger_entry_period on ledger_entry (workspace_id, period, kind)
  where kind in ('grant', 'expiry') and message_id is null;
create index ledger_entry_rare on ledger_entry (workspace_id, kind, id) where kind <> 'reservation';
create trigger ledger_entry_is_append_only before update or delete or truncate on ledger_entry
  for each statement execute function reject_change();

create view ledger_line as
  select workspace_id, id, period, at, credited as account, amount_e4 from ledger_entry
    cross join lateral (select case kind when 'reservation' then 'spent' when 'expiry' then 'expired' else 'available' end) c (credited)
  union all
  select workspace_id, id, period, at, debited as account, -amount_e4 from ledger_entry
    cross join lateral (select case kind when 'refund' then 'spent' when 'grant' then 'funding' when 'topUp' then 'funding' else 'available' end) d (debited);

-- D27: usage per client, day in the time zone of the workspace, and type. D10: a refund is counted on the day of its charge.
create table usage_day (
  workspace_id uuid not null,
  client_id uuid not null,
  day date not null,
  type text not null,
  messages bigint not null,
  segments bigint not null,
  cost_e4 bigint not null,
  refunds bigint not null default 0,
  refunded_e4 bigint not null default 0,
  primary key (client_id, day, type)
) with (fillfactor = 50);
create index usage_day_workspace on usage_day (workspace_id, day);

-- D61: carrier cost per client, day and type. A separate table, so that accepting messages does not wait for recording answers.
create table carrier_cost_day (
  workspace_id uuid not null,
  client_id uuid not null,
  day date not null,
  type text not null,
  segments bigint not null,
  cost_e4 bigint not null,
  primary key (client_id, day, type)
) with (fillfactor = 50);
create index carrier_cost_day_workspace on carrier_cost_day (workspace_id, day);

-- API clients

create table client (
  id uuid primary key,
  workspace_id uuid not null references workspace,
  name text not null check (length(name) between 1 and 100),
  brand_name text not null check (length(brand_name) between 1 and 30),
  mode text not null check (mode in ('live', 'test')),
  default_sender text not null check (length(default_sender) between 1 and 100),
  requests_per_second int not null check (requests_per_second between 1 and 100000),
  -- §5.1: the hash of the key, and the prefix that people recognize it by.
  api_key_hash bytea not null check (length(api_key_hash) = 32),
  api_key_prefix text not null,
  -- D19
  test_otp_code_sealed bytea,
  webhook_url text check (webhook_url like 'https://%'),
  webhook_secret_sealed bytea not null,
  -- §6.3 rule 4: events are signed with this secret too until it expires.
  previous_webhook_secret_sealed bytea,
  previous_webhook_secret_ends_at timestamptz,
  -- §5.4: restrictions; null for none.
  only_types text[] check (only_types <@ array['transactional', 'otp', 'promotional']),
  only_networks text[],
  only_prefixes text[],
  daily_cap int check (daily_cap >= 0),
  hourly_cap_per_number int check (hourly_cap_per_number >= 0),
  -- D39: messages before this time are counted in message, later ones in rate_limit_hit.
  hourly_cap_since timestamptz,
  -- D43: bounds of the operator by field; an owner can only be stricter.
  operator_restrictions jsonb not null default '{}',
  -- D33
  pumping_guard text not null default 'monitor' check (pumping_guard in ('off', 'monitor', 'block')),
  pumping_allowlist text[],
  -- D43: only the operator enables a client that the operator disabled.
  disabled_at timestamptz,
  disabled_by text check (disabled_by in ('operator', 'owner')),
  -- D45: the session that events are forwarded to.
  listening_by text,
  listening_session uuid,
  listening_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint client_api_key unique (api_key_hash),
  constraint client_test_otp_code check (mode = 'test' or test_otp_code_sealed is null),
  constraint client_previous_webhook_secret check (
    (previous_webhook_secret_sealed is null) = (previous_webhook_secret_ends_at is null)),
  constraint client_disabled_by check ((disabled_by is null) = (disabled_at is null)),
  constraint client_listening_check check (num_nonnulls(listening_by, listening_session, listening_until) in (0, 3))
);
create index client_workspace on client (workspace_id, id);
create index client_listening on client (listening_until) where listening_until is not null;

-- D17. Answers, receipts and deadlines are counted in separate rows, so that one does not wait for the commit of another.
create table client_counter (
  client_id uuid not null,
  counter_shard smallint not null default 0,
  sent bigint not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  primary key (client_id, counter_shard)
) with (fillfactor = 50);

-- D26: the request rate over all processes. Unlogged: after a crash it starts with a full bucket.
create unlogged table request_bucket (
  client_id uuid primary key,
  tokens double precision not null,
  refilled_at timestamptz not null,
  -- The number of requests that the last batch was granted.
  granted int not null
) with (fillfactor = 50);

-- §8.2, D39: the requests for OTPs of the last minute by calling address, the oldest first. Unlogged: it covers one minute.
create unlogged table otp_caller (
  client_id uuid not null,
  caller text not null,
  -- At most as many as the limit.
  requested_at timestamptz[] not null,
  -- The number of requests of the last batch that were within the limit.
  granted int not null,
  primary key (client_id, caller)
) with (fillfactor = 50);

-- §8.2 and §5.4: one row per message that counts in the sliding window of a scope.
create table rate_limit_hit (
  scope text not null,
  at timestamptz not null,
  id uuid not null,
  primary key (scope, at, id)
);
create index rate_limit_hit_age on rate_limit_hit (at);

-- D25: responses with status 200, stored in the transaction of their effect.
create table idempotent_answer (
  client_id uuid not null,
  idempotency_key text not null,
  key_id text not null,
  fingerprint bytea not null,
  -- The exact body: a replay repeats it.
  answer text not null,
  answered_at timestamptz not null,
  primary key (client_id, idempotency_key)
);
create index idempotent_answer_age on idempotent_answer (answered_at);

-- Requests with status 4xx or 5xx, without body, key or number, up to a limit per workspace and hour.
create table refused_request (
  workspace_id uuid not null,
  id uuid not null,
  client_id uuid not null,
  method text not null,
  route text not null,
  status smallint not null,
  code text not null,
  milliseconds integer not null,
  at timestamptz not null,
  primary key (workspace_id, id)
);
create index refused_request_age on refused_request (at);

create table request_count (
  workspace_id uuid not null,
  hour timestamptz not null,
  method text not null,
  route text not null,
  status smallint not null,
  code text not null,
  requests bigint not null,
  last_at timestamptz not null,
  primary key (workspace_id, hour, method, route, status, code)
) with (fillfactor = 50);
create index request_count_age on request_count (hour);

-- Templates

create table template (
  id uuid primary key,
  workspace_id uuid not null references workspace,
  name text not null check (length(name) between 1 and 100),
  type text not null check (type in ('transactional', 'otp', 'promotional')),
  text text not null check (length(text) between 1 and 1000),
  status text not null check (status in ('pending', 'approved', 'rejected')),
  reason text,
  -- D57
  carrier_fields jsonb not null default '{}',
  created_at timestamptz not null,
  reviewed_at timestamptz,
  constraint template_reason check ((status = 'rejected') = (reason is not null)),
  constraint template_reviewed check ((status = 'pending') = (reviewed_at is null))
);
create index template_workspace on template (workspace_id, id);
create index template_status on template (status, id);

-- Messages

create table message (
  id uuid primary key,
  workspace_id uuid not null,
  client_id uuid not null,
  to_number text not null,
  country text not null,
  sender text not null,
  -- §2.1, D21: null for an OTP; its text is in sealed_text.
  text text,
  type message_type not null,
  encoding text_encoding not null,
  segments segment_count not null,
  cost_e4 amount_e4 not null,
  -- The ledger entry that paid for it; null if it was free.
  reservation_id uuid,
  -- The approved template that it was created from or matched, if one was required.
  template_id uuid,
  status message_status not null,
  -- The status, if few messages have it. An index on status would be written with every step of every message.
  rare_status text,
  error message_error not null default '',
  submissions smallint not null default 0,
  dlr jsonb,
  submitted_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  -- D13: a late receipt changes updated_at, not this.
  undelivered_at timestamptz,
  failed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 70, autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 10000);
-- Indexes only on columns that never change, or change rarely: most changes of status write no index.
create index message_workspace on message (workspace_id, id);
create index message_number on message (to_number, id);
create index message_rare on message (workspace_id, rare_status, id) where rare_status is not null;
create index message_test on message (id) where rare_status = 'test';

-- D21: the encrypted text of an OTP while it waits for delivery.
create table sealed_text (
  message_id uuid primary key,
  sealed bytea not null,
  expires_at timestamptz not null
);
create index sealed_text_expiry on sealed_text (expires_at);

-- D59: a failed message is resent once at most.
create table resent_message (
  message_id uuid primary key,
  resent_as uuid not null unique,
  resent_at timestamptz not null
);

-- Counters per quarter of an hour: a chart of a million messages reads a few hundred rows, and no hour of UTC is one of +05:45.
-- Each kind of writer has its own rows, as in client_counter.
create table message_quarter_hour (
  workspace_id uuid not null,
  quarter_hour timestamptz not null,
  counter_shard smallint not null,
  accepted bigint not null default 0,
  delivered bigint not null default 0,
  undelivered bigint not null default 0,
  failed bigint not null default 0,
  primary key (workspace_id, quarter_hour, counter_shard)
) with (fillfactor = 50);
create index message_quarter_hour_age on message_quarter_hour (quarter_hour);

-- D13, D15: all messages up to this id are final.
create table expiry_sweep (
  kind text primary key check (kind in ('otp', 'other')),
  swept_to uuid not null,
  -- If time goes back behind this, later messages can have ids below swept_to.
  swept_at timestamptz not null default '-infinity'
);
insert into expiry_sweep (kind, swept_to) values
  ('otp', '00000000-0000-0000-0000-000000000000'),
  ('other', '00000000-0000-0000-0000-000000000000');

-- Replies (§6.2), attributed by D18; without a client they are for the operator.
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
  constraint inbound_message_owner check ((workspace_id is null) = (client_id is null)),
  constraint inbound_message_reply check (client_id is not null or in_reply_to is null)
);
create index inbound_message_client on inbound_message (client_id, id);
create index inbound_message_workspace on inbound_message (workspace_id, id);

-- The parts of a long reply until all have arrived.
create table inbound_part (
  carrier_id uuid not null,
  from_number text not null,
  to_address text not null,
  reference int not null,
  reference_bits smallint not null check (reference_bits in (8, 16)),
  total smallint not null check (total between 2 and 255),
  part smallint not null,
  -- JSON, because a phone may split a character between two parts, and half a character is no valid text.
  text_json text not null,
  received_at timestamptz not null,
  primary key (carrier_id, from_number, to_address, reference, reference_bits, total, part),
  constraint inbound_part_number check (part between 1 and total)
);
create index inbound_part_age on inbound_part (received_at);

-- Fingerprints of recent replies and parts, to detect duplicates.
create table inbound_seen (
  fingerprint text primary key,
  seen_at timestamptz not null
);
create index inbound_seen_age on inbound_seen (seen_at);

-- OTPs

-- D22: one row per scope, so that the latest OTP is the only one.
create table otp_code (
  client_id uuid not null,
  to_number text not null,
  purpose text not null check (length(purpose) <= 50),
  otp_id uuid not null unique,
  message_id uuid not null,
  key_id text not null,
  code_hash bytea not null check (length(code_hash) = 32),
  wrong_tries smallint not null default 0 check (wrong_tries between 0 and 5),
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (client_id, to_number, purpose)
) with (fillfactor = 70);
create index otp_code_expiry on otp_code (expires_at);

-- OTPs per day in the time zone of the workspace and operator prefix; the prefix '' is the total. An OTP counts on the day it was sent,
-- in each stage that it reaches. Each stage has its own rows, so that one does not wait for the commit of another.
create table otp_day (
  workspace_id uuid not null,
  day date not null,
  operator_prefix text not null,
  stage otp_stage not null,
  codes bigint not null,
  primary key (workspace_id, day, operator_prefix, stage)
) with (fillfactor = 50);
create index otp_day_whole on otp_day (workspace_id, day) where operator_prefix = '';
create index otp_day_age on otp_day (day);

-- D33: input of the fraud guard, without the OTP. The id is that of the message.
create table otp_send_stat (
  id uuid primary key,
  client_id uuid not null,
  to_number text not null,
  -- The number without its last seven digits, and without its last four.
  operator_prefix text not null,
  block text not null,
  last_four smallint not null check (last_four between 0 and 9999),
  sent_at timestamptz not null,
  verified_at timestamptz,
  failed boolean not null default false
) with (fillfactor = 80);
create index otp_send_stat_block on otp_send_stat (client_id, block, sent_at);
create index otp_send_stat_prefix on otp_send_stat (client_id, operator_prefix, sent_at);
create index otp_send_stat_client on otp_send_stat (client_id, sent_at);
create index otp_send_stat_age on otp_send_stat (sent_at);

-- D33: normal traffic by hour.
create table otp_hour (
  client_id uuid not null,
  operator_prefix text not null,
  hour timestamptz not null,
  sends bigint not null default 0,
  verified bigint not null default 0,
  primary key (client_id, operator_prefix, hour)
) with (fillfactor = 50);
create index otp_hour_age on otp_hour (hour);

-- D33: numbers that verified an OTP of a workspace in the last 90 days pass the fraud guard there.
create table verified_number (
  workspace_id uuid not null,
  to_number text not null,
  verified_at timestamptz not null,
  primary key (workspace_id, to_number)
);
create index verified_number_age on verified_number (verified_at);

-- D33: a block or prefix that is held, why, and until when.
create table pumping_hold (
  client_id uuid not null,
  scope text not null,
  rule text not null check (rule in ('R1', 'R2', 'R3')),
  reason text not null,
  mode text not null check (mode in ('monitor', 'block')),
  strikes int not null check (strikes > 0),
  struck_at timestamptz not null,
  held_until timestamptz not null,
  primary key (client_id, scope)
);
create index pumping_hold_age on pumping_hold (struck_at);

-- The history of holds, with the number of OTPs that were refused, and that passed because the guard only monitors.
create table pumping_finding (
  id uuid primary key,
  workspace_id uuid not null,
  client_id uuid not null,
  scope text not null,
  rule text not null check (rule in ('R1', 'R2', 'R3')),
  reason text not null,
  strikes integer not null,
  struck_at timestamptz not null,
  held_until timestamptz not null,
  refused bigint not null,
  passed bigint not null,
  unique (client_id, scope, struck_at)
) with (fillfactor = 70);
create index pumping_finding_workspace on pumping_finding (workspace_id, id);
create index pumping_finding_age on pumping_finding (struck_at);

-- Carriers and routes

create table carrier (
  id uuid primary key,
  kind text not null check (kind in ('smpp', 'http')),
  name text not null check (length(name) between 1 and 100),
  secrets_sealed bytea not null,
  binds smallint not null check (binds between 1 and 50),
  -- Unanswered submissions per connection.
  window_size smallint not null check (window_size between 1 and 1000),
  answer_seconds smallint not null check (answer_seconds between 1 and 300),
  -- Of the whole account; null for unlimited.
  segments_per_second int check (segments_per_second between 1 and 100000),
  -- D34: replaces a sender that the carrier cannot send; null for the default of the service.
  default_sender text check (length(default_sender) between 1 and 15),
  -- D15
  resend_unknown boolean not null,
  -- The carrier counts as broken after so many consecutive submissions, each to another number; null for never.
  break_after_unanswered smallint check (break_after_unanswered between 1 and 1000),
  break_after_refused smallint check (break_after_refused between 1 and 1000),
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint carrier_name unique (name)
);

create table smpp_carrier (
  carrier_id uuid primary key references carrier on delete cascade,
  settings jsonb not null check (
    settings ?& array['host', 'port', 'systemId'] and length(settings ->> 'host') between 1 and 253 and (settings ->> 'port')::integer between 1 and 65535
    and length(settings ->> 'systemId') between 1 and 15)
);

-- D48
create table http_carrier (
  carrier_id uuid primary key references carrier on delete cascade,
  description jsonb not null,
  secret_names text[] not null check (cardinality(secret_names) <= 20),
  -- D52: identifies the carrier of a delivery-receipt callback. The address itself is one of the secrets.
  callback_hash text unique
);

-- D61: prices per segment by prefix. A list is replaced as a whole; the revision shows that it changed.
create table carrier_price_list (
  carrier_id uuid primary key references carrier on delete cascade,
  revision integer not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  prefixes text[] not null check (cardinality(prefixes) <= 1000),
  prices_e4 bigint[] not null,
  updated_at timestamptz not null,
  constraint carrier_price_list_pairs check (cardinality(prefixes) = cardinality(prices_e4))
);

create table route (
  id uuid primary key,
  -- '*' is for numbers that no route of their country serves.
  country text not null check (country ~ '^([A-Z]{2}|\*)$'),
  -- Prefixes of E.164 numbers; empty for the whole country.
  prefixes text[] not null,
  types text[] check (types <@ array['transactional', 'otp', 'promotional']),
  carrier_id uuid not null,
  priority int not null check (priority between 0 and 1000000),
  -- The share among routes of equal priority; 0 for standby.
  weight smallint not null default 0 check (weight between 0 and 1000),
  -- Whether the next route gets messages above the rate limit of the carrier.
  overflow boolean not null default false,
  -- Whether messages that were queued before the route are queued under its prefixes.
  is_queue_updated boolean not null default false,
  created_at timestamptz not null,
  constraint route_carrier foreign key (carrier_id) references carrier,
  constraint route_catch_all check (country <> '*' or prefixes = '{}')
);

-- One process at a time has a connection, while it renews its lease. The other columns are the status of the connection.
create table carrier_bind (
  carrier_id uuid not null references carrier on delete cascade,
  number smallint not null check (number >= 1),
  mode text not null check (mode in ('transceiver', 'transmitter', 'receiver')),
  process_id uuid,
  leased_until timestamptz,
  state text not null default 'idle' check (state in ('idle', 'connecting', 'bound', 'waiting')),
  -- The host that it is connected to.
  peer text,
  bound_at timestamptz,
  in_flight int not null default 0,
  segments_per_second real not null default 0,
  last_error text,
  last_error_at timestamptz,
  is_working boolean not null default false,
  broken_reason text,
  health_since timestamptz,
  -- Whether more messages wait than the rate limit of the carrier allows.
  is_at_rate_limit boolean not null default false,
  -- D40: a connection that never worked counts from its creation.
  last_working_at timestamptz not null,
  primary key (carrier_id, number),
  constraint carrier_bind_lease check ((process_id is null) = (leased_until is null)),
  constraint carrier_bind_idle check (process_id is not null or state = 'idle'),
  constraint carrier_bind_bound check ((state = 'bound') = (bound_at is not null)),
  constraint carrier_bind_last_error check ((last_error is null) = (last_error_at is null)),
  constraint carrier_bind_working check (not is_working or (state = 'bound' and broken_reason is null))
) with (fillfactor = 50);

-- The running delivery processes, which share the connections, and their segments of the last minute.
create table delivery_process (
  id uuid primary key,
  alive_until timestamptz not null,
  accepted integer not null default 0,
  rejected integer not null default 0,
  delivered integer not null default 0,
  undelivered integer not null default 0
) with (fillfactor = 50);

-- The same for processes that only receive callbacks: they share no connections.
create table receipt_process (
  id uuid primary key,
  alive_until timestamptz not null,
  delivered integer not null,
  undelivered integer not null
) with (fillfactor = 50);

-- Statistics per carrier, prefix and five minutes. Processes add their counts every few seconds; a killed process loses the last ones.
create table carrier_stats (
  carrier_id uuid not null references carrier on delete cascade,
  prefix text not null,
  slot timestamptz not null,
  accepted bigint not null,
  rejected bigint not null,
  unanswered bigint not null,
  delivered bigint not null,
  undelivered bigint not null,
  -- Sums over all answers, and over all first receipts.
  answer_ms bigint not null,
  receipts bigint not null,
  receipt_ms bigint not null,
  -- Answers that match no request: the carrier answers late or twice.
  unexpected_answers bigint not null default 0,
  unreadable_answers bigint not null default 0,
  -- Callbacks and answers to receipt polls that were rejected or not readable.
  unreadable_receipts bigint not null default 0,
  -- Submissions that were rejected because of the account or the carrier, not because of the message.
  account_rejections bigint not null default 0,
  -- D56: long messages whose segments all got the same id.
  duplicate_message_ids bigint not null default 0,
  primary key (carrier_id, prefix, slot)
) with (fillfactor = 50);
create index carrier_stats_slot on carrier_stats (slot);

create table carrier_test (
  id uuid primary key,
  carrier_id uuid not null references carrier on delete cascade,
  started_at timestamptz not null,
  -- The test message, if there is one, with its answer and receipt.
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
  constraint carrier_test_message check ((to_number is null) = (text is null)),
  constraint carrier_test_answer check ((outcome is null) = (answered_at is null)),
  constraint carrier_test_answer_of_message check (to_number is not null or outcome is null),
  constraint carrier_test_report check ((report_state is null) = (reported_at is null))
);
create index carrier_test_carrier on carrier_test (carrier_id, id);
create index carrier_test_reference on carrier_test (carrier_id, reference) where reference is not null;

create table carrier_test_bind (
  test_id uuid not null references carrier_test on delete cascade,
  number smallint not null,
  -- The connection at the start of the test, and the process that tests it.
  mode text not null,
  state text not null,
  bound_at timestamptz,
  process_id uuid,
  -- Whether it sends the test message.
  sends_message boolean not null,
  started_at timestamptz,
  milliseconds real,
  fault text,
  answered_at timestamptz,
  steps jsonb not null default '[]',
  primary key (test_id, number),
  constraint carrier_test_bind_answer check (num_nonnulls(milliseconds, fault) = num_nonnulls(answered_at))
);
create index carrier_test_bind_process on carrier_test_bind (process_id) where started_at is null;

-- D60: recorded traffic without OTPs and passwords. Each process records its own connections.
create table carrier_capture (
  id uuid primary key,
  carrier_id uuid not null references carrier on delete cascade,
  started_at timestamptz not null,
  ends_at timestamptz not null,
  constraint carrier_capture_period check (ends_at > started_at)
);
create index carrier_capture_carrier on carrier_capture (carrier_id, id);
create index carrier_capture_end on carrier_capture (ends_at);

create table captured_frame (
  capture_id uuid not null references carrier_capture on delete cascade,
  process_id uuid not null,
  sequence integer not null,
  at timestamptz not null,
  bind smallint not null,
  outgoing boolean not null,
  bytes bytea not null,
  decoded jsonb not null,
  -- HTTP: the request that it belongs to, and whether the carrier made that request.
  exchange integer,
  is_callback boolean not null default false,
  primary key (capture_id, process_id, sequence)
);

-- Delivery

-- Live work only: a row is deleted when its message needs no further submission.
create table delivery_queue (
  message_id uuid primary key,
  -- The destination as far as routes distinguish it: a carrier that is down delays only its own destinations.
  destination text not null,
  -- The carrier that rejected the message last, or zeros.
  avoid_carrier_id uuid not null,
  priority delivery_priority not null,
  -- D43: workspaces take turns, then their clients.
  workspace_id uuid not null,
  client_id uuid not null,
  due_at timestamptz not null,
  -- A claim writes no indexed column.
  claim_id uuid,
  leased_until timestamptz,
  -- Submissions are numbered by this.
  claims int not null default 0,
  constraint delivery_queue_claim check ((claim_id is null) = (leased_until is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index delivery_queue_order on delivery_queue (destination, avoid_carrier_id, priority, workspace_id, client_id, due_at);
-- Finds expired OTPs without reading the backlog of other messages.
create index delivery_queue_otp on delivery_queue (message_id) where priority = 0;

-- One row per segment and submission, written before it is sent, so that no sent segment is forgotten.
create table submission (
  message_id uuid not null,
  ordinal submission_ordinal not null,
  segment smallint not null,
  segment_count segment_count not null,
  carrier_id uuid not null,
  to_number text not null,
  -- D34: the sender that the carrier got; null if it is not known.
  sender sender_address,
  -- The receipts that were requested; null for one per segment.
  receipts receipt_rule,
  outcome submission_outcome not null default 'open',
  -- The neutral code of a permanent rejection.
  error message_error not null default '',
  command_status bigint,
  -- The id of the segment as the carrier wrote it, and normalised for comparison.
  carrier_message_id text,
  reference text,
  -- D61: the price of the carrier in the currency of the workspace; null if it is not known.
  cost_e4 bigint,
  claimed_at timestamptz not null,
  answered_at timestamptz,
  -- D59: an operator allowed a resend although the carrier may have accepted it.
  resend_allowed_at timestamptz,
  primary key (message_id, ordinal, segment),
  constraint submission_segment check (segment between 1 and segment_count),
  constraint submission_answered check ((outcome = 'open') = (answered_at is null)),
  constraint submission_error check ((outcome = 'rejected') = (error <> '')),
  constraint submission_accepted_reference check (outcome = 'accepted' or reference is null)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- With the time, because a carrier may give an id again: the latest submissions of an id are read without its older ones.
create index submission_reference on submission (carrier_id, reference, claimed_at) where reference is not null;
create index submission_unknown on submission (claimed_at) where outcome = 'unknown';

-- Delivery receipts of segments, as received.
create table report (
  message_id uuid not null,
  id uuid not null,
  ordinal int not null,
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

-- Delivery receipts without a submission so far: a receipt may arrive before the answer to its submission.
create table pending_report (
  id uuid primary key,
  carrier_id uuid not null,
  reference text not null,
  to_number text not null,
  -- Recognized by its text alone: it counts only from the number of the message.
  is_by_text boolean not null default false,
  status text not null,
  error text not null,
  state text not null,
  code text not null,
  raw text not null,
  received_at timestamptz not null,
  match_attempts smallint not null default 0,
  next_match_at timestamptz not null
);
create index pending_report_reference on pending_report (carrier_id, reference);
create index pending_report_number on pending_report (carrier_id, to_number);
create index pending_report_next_match on pending_report (next_match_at);

-- The latest receipts of each carrier that matched nothing within a minute, and their number per hour.
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

create table unmatched_receipt_hour (
  carrier_id uuid not null references carrier on delete cascade,
  hour timestamptz not null,
  receipts bigint not null,
  primary key (carrier_id, hour)
) with (fillfactor = 50);

-- D54: receipt polling of HTTP carriers. A poll needs no other table. due_at is also the end of a lease.
create table receipt_poll (
  message_id uuid not null,
  ordinal integer not null,
  segment smallint not null,
  carrier_id uuid not null,
  carrier_message_id text,
  reference text not null,
  to_number text not null,
  due_at timestamptz not null,
  attempts smallint not null default 0 check (attempts >= 0),
  -- The last stored state: the same state again is ignored.
  last_state text not null default '',
  ends_at timestamptz not null,
  primary key (message_id, ordinal, segment)
);
-- The messages with the fewest attempts first.
create index receipt_poll_due on receipt_poll (carrier_id, attempts, due_at);
create index receipt_poll_end on receipt_poll (ends_at);

-- Webhooks (§6)

create table webhook_event (
  -- The header x-svc-delivery of every attempt.
  delivery_id uuid primary key,
  client_id uuid not null,
  name event_name not null,
  -- §6.2 rule 3: one message.status per message and status.
  message_id uuid,
  webhook_status event_status,
  -- §6.3 rule 3: the exact bytes of every attempt.
  body bytea not null,
  state event_state not null default 'pending',
  failure_reason event_failure_reason,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint webhook_event_message_status check ((message_id is null) = (webhook_status is null)),
  constraint webhook_event_ended check ((state = 'pending') = (ended_at is null)),
  constraint webhook_event_failure check ((state = 'failed') = (failure_reason is not null))
) with (fillfactor = 80, autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 10000);
create unique index webhook_event_once on webhook_event (message_id, webhook_status) where message_id is not null;
create index webhook_event_client on webhook_event (client_id, delivery_id);
-- On a column that a delivered event leaves null, so that a delivery writes no index.
create index webhook_event_failed on webhook_event (client_id, delivery_id) where failure_reason is not null;

-- Live work only. due_at is also the end of a claim, so a lost claim is due again by itself.
create table webhook_queue (
  delivery_id uuid primary key,
  workspace_id uuid not null,
  client_id uuid not null,
  -- Retries and resends wait for new events.
  retry boolean not null default false,
  due_at timestamptz not null,
  claim_id uuid,
  -- The recorded attempts of this round, and the claims since the last of them.
  attempts smallint not null default 0,
  claims int not null default 0
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index webhook_queue_due on webhook_queue (retry, workspace_id, client_id, due_at);

create table webhook_attempt (
  delivery_id uuid not null,
  -- A claim makes at most one attempt, and the claims of a delivery increase.
  claim_id uuid not null,
  url text not null,
  attempted_at timestamptz not null,
  milliseconds int not null,
  status_code smallint,
  -- Why there is no response.
  failure text,
  -- The first 16 KiB.
  response_body bytea,
  primary key (delivery_id, claim_id),
  constraint webhook_attempt_result check ((status_code is null) <> (failure is null))
);

-- D45: events for the session that a client's events are forwarded to. The events of a message have increasing positions, because they
-- are written under its lock.
create table listening_event (
  position bigint generated always as identity primary key,
  client_id uuid not null,
  delivery_id uuid not null,
  name event_name not null,
  message_id uuid,
  webhook_status event_status,
  body bytea not null,
  created_at timestamptz not null,
  is_forwarded boolean not null default false,
  constraint listening_event_message_status check ((message_id is null) = (webhook_status is null))
);
create unique index listening_event_once on listening_event (message_id, webhook_status) where message_id is not null;
create index listening_event_pending on listening_event (client_id, position) where not is_forwarded;
create index listening_event_created on listening_event (created_at);

-- People. Passwords, tokens and links are stored as hashes.

create table person (
  id uuid primary key,
  email email_address not null unique,
  -- When the person last proved to read this mailbox.
  email_verified_at timestamptz,
  name title not null,
  language text check (language in ('en', 'ne')),
  is_operator boolean not null default false,
  password_hash text check (password_hash like '$argon2id$%'),
  -- TOTP is enabled once a code was confirmed. The last half minute is stored, so that no code works twice.
  totp_sealed bytea,
  totp_confirmed_at timestamptz,
  totp_step bigint not null default 0,
  created_at timestamptz not null,
  constraint person_totp check (totp_confirmed_at is null or totp_sealed is not null)
);
create index person_operator on person (id) where is_operator;

create table membership (
  person_id uuid not null references person,
  workspace_id uuid not null references workspace,
  role workspace_role not null,
  created_at timestamptz not null,
  primary key (person_id, workspace_id)
);
create index membership_workspace on membership (workspace_id, person_id);

-- A row is deleted when its session ends.
create table session (
  id uuid primary key,
  person_id uuid not null references person,
  token_hash secret_hash not null unique,
  created_at timestamptz not null,
  -- When the person last proved their identity.
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null,
  ends_at timestamptz not null,
  address text,
  user_agent text check (length(user_agent) <= 300),
  constraint session_times check (ends_at > last_seen_at and last_seen_at >= signed_in_at and signed_in_at >= created_at)
);
create index session_person on session (person_id, id);
create index session_end on session (ends_at);

-- A single-use link: to become an operator, to join a workspace, or to set a new password. A row is deleted when its link is used.
create table invitation (
  id uuid primary key,
  secret_hash secret_hash not null unique,
  kind text not null check (kind in ('operator', 'member', 'recovery')),
  -- null: the person who uses the link enters it.
  email email_address,
  workspace_id uuid references workspace,
  role workspace_role,
  person_id uuid references person,
  -- Only a person who reads the mailbox has the link.
  is_mailed boolean not null,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint invitation_has_email check (kind = 'operator' or email is not null),
  constraint invitation_of_member check ((kind = 'member') = (workspace_id is not null) and (workspace_id is null) = (role is null)),
  constraint invitation_of_recovery check ((kind = 'recovery') = (person_id is not null))
);
create index invitation_workspace on invitation (workspace_id, id) where workspace_id is not null;
create index invitation_person on invitation (person_id, id) where person_id is not null;
create index invitation_operator on invitation (id) where kind = 'operator';
-- A person who signs in with a provider needs no link.
create index invitation_email on invitation (email) where email is not null;
create index invitation_end on invitation (expires_at);

-- D70: a link confirms a new e-mail address. A row stays until it expires, because it counts toward the mails of the last hour.
create table email_link (
  id uuid primary key,
  secret_hash secret_hash not null unique,
  person_id uuid not null references person,
  -- The new address.
  email email_address not null,
  -- Whether the link works.
  is_open boolean not null default true,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
-- A new link replaces the previous one.
create unique index email_link_open on email_link (person_id) where is_open;
create index email_link_person on email_link (person_id, created_at);
create index email_link_email on email_link (email, created_at);
create index email_link_end on email_link (expires_at);

-- Single-use codes that replace a TOTP code.
create table recovery_code (
  person_id uuid not null references person,
  code_hash secret_hash not null,
  primary key (person_id, code_hash)
);

create table passkey (
  id uuid primary key,
  person_id uuid not null references person,
  name title not null,
  credential_id bytea not null unique check (length(credential_id) between 1 and 1023),
  public_key bytea not null check (length(public_key) <= 4096),
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkey_person on passkey (person_id, id);

-- Open challenges of passkeys and OpenID Connect. Unlogged: they last minutes.
create unlogged table challenge (
  id uuid primary key,
  kind text not null check (kind in ('passkey_new', 'passkey', 'oidc')),
  person_id uuid,
  -- The network or person: a flood of challenges removes only those of its own requester.
  requester text not null default '',
  details jsonb not null,
  expires_at timestamptz not null
);
create index challenge_requester on challenge (requester, id);
create index challenge_end on challenge (expires_at);

-- Failed sign-ins by the hash of an e-mail address or of a network. Unlogged: after a crash they start at zero.
create unlogged table failed_sign_in (
  subject_hash secret_hash primary key,
  attempts int not null check (attempts > 0),
  last_attempt_at timestamptz not null
);
create index failed_sign_in_last_attempt on failed_sign_in (last_attempt_at);

create table owner_token (
  id uuid primary key,
  -- null: a token of the operator.
  workspace_id uuid references workspace,
  -- D67: the creator; null for tokens created with the operator token of the settings.
  person_id uuid references person,
  role text not null check (role in ('operator', 'owner', 'developer', 'viewer')),
  name text not null check (length(name) between 1 and 100),
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint owner_token_operator check ((role = 'operator') = (workspace_id is null))
);
create index owner_token_workspace on owner_token (workspace_id, id);
create index owner_token_person on owner_token (person_id) where person_id is not null;

create table audit_entry (
  id uuid primary key,
  workspace_id uuid references workspace,
  actor text not null,
  action text not null,
  subject text not null,
  details jsonb not null,
  address text,
  request_id text,
  at timestamptz not null
);
create index audit_entry_workspace on audit_entry (workspace_id, id);
create trigger audit_entry_is_append_only before update or delete or truncate on audit_entry
  for each statement execute function reject_change();

-- Statistics of the planner. These tables get thousands of similar rows per second: a tenth of the usual sample is enough, and a
-- full one takes a quarter of a second each time. Texts are never searched.
do $$
declare a record;
begin
  for a in
    select attrelid::regclass as of, attname as name from pg_attribute
    where attrelid in ('message'::regclass, 'delivery_queue'::regclass, 'ledger_entry'::regclass, 'submission'::regclass,
        'report'::regclass, 'webhook_event'::regclass, 'webhook_queue'::regclass, 'webhook_attempt'::regclass)
      and attnum > 0 and not attisdropped
  loop
    execute format('alter table %s alter column %I set statistics 10', a.of, a.name);
  end loop;
end
$$;
alter table message alter column text set statistics 0;
alter table webhook_event alter column body set statistics 0;
