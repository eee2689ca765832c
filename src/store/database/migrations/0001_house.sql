-- Workspaces and their money, API clients, templates, and who may manage them. Times come from the service's clock.

create table service (
  only_row boolean primary key default true check (only_row),
  sms_enabled boolean not null default true,
  -- Where a manual clock stood last, so that a restart does not turn time back.
  manual_clock_at timestamptz,
  demo_made_at timestamptz
);
insert into service default values;

-- What the keyring looked like: a database is never served with keys that cannot read it.
create table keyring_key (
  purpose text not null check (purpose in ('codes', 'texts', 'secrets')),
  key_id text not null,
  fingerprint text not null,
  primary key (purpose, key_id)
);

create table country (
  code text primary key check (code ~ '^[A-Z]{2}$'),
  name text not null check (length(name) between 1 and 100),
  state text not null check (state in ('live', 'comingSoon', 'off')),
  time_zone text not null,
  -- D16: promotional text waits while it is night there; both null means never.
  quiet_from text check (quiet_from ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  quiet_to text check (quiet_to ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  check ((quiet_from is null) = (quiet_to is null))
);
insert into country (code, name, state, time_zone, quiet_from, quiet_to) values
  ('NP', 'Nepal', 'live', 'Asia/Kathmandu', '20:00', '08:00'),
  ('IN', 'India', 'comingSoon', 'Asia/Kolkata', '20:00', '08:00'),
  ('BD', 'Bangladesh', 'comingSoon', 'Asia/Dhaka', '20:00', '08:00');

create table workspace (
  id uuid primary key,
  name text not null check (length(name) between 1 and 100),
  country text not null check (country ~ '^[A-Z]{2}$'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  time_zone text not null,
  plan text not null check (plan in ('standard', 'enterprise')),
  status text not null check (status in ('pending', 'active', 'suspended')),
  monthly_credit_e4 bigint not null check (monthly_credit_e4 between 0 and 9000000000000000),
  transactional_price_e4 bigint not null check (transactional_price_e4 between 0 and 1000000000000),
  otp_price_e4 bigint not null check (otp_price_e4 between 0 and 1000000000000),
  promotional_price_e4 bigint not null check (promotional_price_e4 between 0 and 1000000000000),
  allowed_types text[] not null check (allowed_types <@ array['transactional', 'otp', 'promotional']),
  -- null: every country that is live.
  allowed_countries text[],
  templates_required boolean not null,
  -- Rises with every review, so that a compiled set of templates knows when it is out of date.
  templates_revision bigint not null default 0,
  -- D8: equal to what the ledger adds up to, and never below zero.
  balance_e4 bigint not null default 0 check (balance_e4 between 0 and 9000000000000000),
  -- D9: the month that is open, in the workspace's own zone, and the instant it ends.
  period date not null,
  period_ends_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- §2.3: promotional is for Enterprise only.
  constraint promotional_is_enterprise check (plan = 'enterprise' or not 'promotional' = any (allowed_types))
) with (fillfactor = 50);
create index workspace_period_end on workspace (period_ends_at);

-- D8: append-only. Every entry moves one amount from one account to another, so all accounts add up to zero.
create table ledger_entry (
  -- Written only under the lock of its workspace, which is never deleted: a foreign key would look it up again for each row.
  workspace_id uuid not null,
  id uuid not null,
  period date not null,
  kind text not null check (kind in ('grant', 'topUp', 'reservation', 'refund', 'expiry')),
  amount_e4 bigint not null check (amount_e4 > 0),
  balance_e4 bigint not null check (balance_e4 >= 0),
  message_id uuid,
  note text,
  at timestamptz not null,
  primary key (workspace_id, id),
  check (kind not in ('reservation', 'refund') or message_id is not null)
);
-- At most one reservation, one refund and one expiry of a late refund for a message.
create unique index ledger_entry_message on ledger_entry (message_id, kind) where message_id is not null;
-- A period opens once and closes once.
create unique index ledger_entry_period on ledger_entry (workspace_id, period, kind)
  where kind in ('grant', 'expiry') and message_id is null;

create view ledger_line as
  select workspace_id, id, period, at, credited as account, amount_e4 from ledger_entry
    cross join lateral (select case kind when 'reservation' then 'spent' when 'expiry' then 'expired' else 'available' end) c (credited)
  union all
  select workspace_id, id, period, at, debited as account, -amount_e4 from ledger_entry
    cross join lateral (select case kind when 'refund' then 'spent' when 'grant' then 'funding' when 'topUp' then 'funding' else 'available' end) d (debited);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the rows of % are only ever added', tg_table_name;
end $$;
create trigger ledger_entry_is_append_only before update or delete or truncate on ledger_entry
  for each statement execute function refuse_change();

create table client (
  id uuid primary key,
  workspace_id uuid not null references workspace,
  name text not null check (length(name) between 1 and 100),
  brand_name text not null check (length(brand_name) between 1 and 30),
  mode text not null check (mode in ('live', 'test')),
  default_sender text not null check (length(default_sender) between 1 and 100),
  webhook_url text check (webhook_url like 'https://%'),
  requests_per_second int not null check (requests_per_second between 1 and 100000),
  -- D19; sealed like every other secret.
  test_otp_code_sealed bytea,
  disabled_at timestamptz,
  -- §5.1: only the hash of a key is kept, beside the few characters by which people tell keys apart.
  api_key_hash bytea not null check (length(api_key_hash) = 32),
  api_key_prefix text not null,
  webhook_secret_sealed bytea not null,
  -- §6.3 rule 4: signs beside the new one until its grace ends.
  previous_webhook_secret_sealed bytea,
  previous_webhook_secret_ends_at timestamptz,
  -- §5.4; null means unrestricted.
  only_types text[] check (only_types <@ array['transactional', 'otp', 'promotional']),
  only_networks text[],
  only_prefixes text[],
  daily_cap int check (daily_cap >= 0),
  hourly_cap_per_number int check (hourly_cap_per_number >= 0),
  pumping_guard text not null default 'monitor' check (pumping_guard in ('off', 'monitor', 'block')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint client_api_key unique (api_key_hash),
  check ((previous_webhook_secret_sealed is null) = (previous_webhook_secret_ends_at is null)),
  check (mode = 'test' or test_otp_code_sealed is null)
);
create index client_workspace on client (workspace_id, id);

-- D26: the request rate, shared by all processes. It need not outlive a crash: a full bucket is a fair start.
create unlogged table request_bucket (
  client_id uuid primary key,
  tokens double precision not null,
  refilled_at timestamptz not null,
  -- What the latest batch asked for and was given.
  granted int not null
) with (fillfactor = 50);

create table template (
  id uuid primary key,
  workspace_id uuid not null references workspace,
  name text not null check (length(name) between 1 and 100),
  type text not null check (type in ('transactional', 'otp', 'promotional')),
  text text not null check (length(text) between 1 and 1000),
  status text not null check (status in ('pending', 'approved', 'rejected')),
  reason text,
  created_at timestamptz not null,
  reviewed_at timestamptz,
  check ((status = 'rejected') = (reason is not null)),
  check ((status = 'pending') = (reviewed_at is null))
);
create index template_workspace on template (workspace_id, id);
create index template_status on template (status, id);

create table owner_token (
  id uuid primary key,
  workspace_id uuid not null references workspace,
  name text not null check (length(name) between 1 and 100),
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index owner_token_workspace on owner_token (workspace_id, id);

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
  for each statement execute function refuse_change();
