-- What the API accepts: messages, the queue for delivery, one-time codes, limits, idempotency.

create table message (
  id uuid primary key,
  workspace_id uuid not null,
  client_id uuid not null,
  to_number text not null,
  country text not null,
  sender text not null,
  -- null for a message that carries a one-time code: its text is never kept here (§2.1, D21).
  text text,
  type text not null check (type in ('transactional', 'otp', 'promotional')),
  encoding text not null check (encoding in ('GSM7', 'UCS2')),
  segments smallint not null check (segments between 1 and 6),
  cost_e4 bigint not null check (cost_e4 >= 0),
  status text not null check (status in
    ('queued', 'submitting', 'submitted', 'sent', 'delivered', 'undelivered', 'failed', 'rejected', 'test')),
  error text not null default '' check (error in
    ('', 'network_unavailable', 'delivery_timeout', 'carrier_rejected', 'invalid_number', 'delivery_failed')),
  submissions smallint not null default 0,
  dlr jsonb,
  submitted_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  failed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 70);
-- None of these columns ever changes, so that a change of status touches no index.
create index message_workspace on message (workspace_id, id);
create index message_number on message (to_number, id);

-- Live work only: a row is deleted when its message needs no more submission. due_at is also the end of a claim.
create table delivery_queue (
  message_id uuid primary key,
  -- Where it goes, as far as routes tell destinations apart; a carrier that is down holds up its own destinations only.
  destination text not null,
  -- D16: 0 otp, 1 transactional, 2 promotional.
  lane smallint not null check (lane between 0 and 2),
  due_at timestamptz not null,
  claim_id uuid
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index delivery_queue_due on delivery_queue (destination, lane, due_at);

-- D21: the text of a message with a code, sealed, for as long as it waits for delivery.
create table sealed_text (
  message_id uuid primary key,
  sealed bytea not null,
  expires_at timestamptz not null
);
create index sealed_text_expiry on sealed_text (expires_at);

-- D22: one row per scope, so that 'the latest code' holds by structure.
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

-- Every sliding window of §8.2 and §5.4: one row for each thing that counts toward the limit of a scope.
create table window_hit (
  scope text not null,
  at timestamptz not null,
  id uuid not null,
  primary key (scope, at, id)
);
create index window_hit_age on window_hit (at);

-- D27 and the owner's usage: what a client sent on a day of its workspace's zone.
create table usage_day (
  workspace_id uuid not null,
  client_id uuid not null,
  day date not null,
  type text not null,
  messages bigint not null,
  segments bigint not null,
  cost_e4 bigint not null,
  primary key (client_id, day, type)
) with (fillfactor = 50);
create index usage_day_workspace on usage_day (workspace_id, day);

-- D17
create table client_counter (
  client_id uuid primary key,
  sent bigint not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0
) with (fillfactor = 50);

-- D25: only answers of 200 are kept, in the transaction of their effect.
create table idempotent_answer (
  client_id uuid not null,
  idempotency_key text not null,
  key_id text not null,
  fingerprint bytea not null,
  -- The body as it was sent: a replay repeats it to the letter.
  answer text not null,
  answered_at timestamptz not null,
  primary key (client_id, idempotency_key)
);
create index idempotent_answer_age on idempotent_answer (answered_at);

-- D33: what the pumping guard learns from; it holds no code. The id is that of the message.
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

-- D33: sums by the hour, from which the guard knows what is normal.
create table otp_hour (
  client_id uuid not null,
  operator_prefix text not null,
  hour timestamptz not null,
  sends bigint not null default 0,
  verified bigint not null default 0,
  primary key (client_id, operator_prefix, hour)
) with (fillfactor = 50);
create index otp_hour_age on otp_hour (hour);

-- D33: a number that verified a code in a workspace within 90 days passes the guard there.
create table verified_number (
  workspace_id uuid not null,
  to_number text not null,
  verified_at timestamptz not null,
  primary key (workspace_id, to_number)
);
create index verified_number_age on verified_number (verified_at);

-- D33: a block or prefix that looked like pumping, why, and until when it is held.
create table pumping_hold (
  client_id uuid not null,
  scope text not null,
  rule text not null check (rule in ('R1', 'R2', 'R3')),
  reason text not null,
  -- Whether sends were refused for it, or only watched.
  mode text not null check (mode in ('monitor', 'block')),
  strikes int not null check (strikes > 0),
  struck_at timestamptz not null,
  held_until timestamptz not null,
  primary key (client_id, scope)
);
create index pumping_hold_age on pumping_hold (struck_at);
