-- A database of the last version before 0.1.0 (migrations 1 to 54): pg_dump of its schema, then rows in every table that the bridge converts.

CREATE DOMAIN amount_e4 AS bigint
  CONSTRAINT amount_e4_check CHECK (((VALUE >= 0) AND (VALUE <= '9000000000000000'::bigint)));
CREATE DOMAIN charge_e4 AS bigint
  CONSTRAINT charge_e4_check CHECK ((VALUE > 0));
CREATE DOMAIN client_count AS integer
  CONSTRAINT client_count_check CHECK (((VALUE >= 0) AND (VALUE <= 1000)));
CREATE DOMAIN code_stage AS text
  CONSTRAINT code_stage_check CHECK ((VALUE = ANY (ARRAY['sent'::text, 'delivered'::text, 'verified'::text])));
CREATE DOMAIN country_code AS text
  CONSTRAINT country_code_check1 CHECK ((VALUE ~ '^[A-Z]{2}$'::text));
CREATE DOMAIN currency_code AS text
  CONSTRAINT currency_code_check CHECK ((VALUE ~ '^[A-Z]{3}$'::text));
CREATE DOMAIN delivery_priority AS smallint
  CONSTRAINT delivery_lane_check CHECK (((VALUE >= 0) AND (VALUE <= 2)));
CREATE DOMAIN email_address AS text
  CONSTRAINT email_address_check CHECK (((length(VALUE) <= 254) AND (VALUE ~ '^[^\s@]+@[^\s@]+$'::text) AND (VALUE = lower(VALUE))));
CREATE DOMAIN event_end AS text
  CONSTRAINT event_end_check CHECK ((VALUE = ANY (ARRAY['postings_used_up'::text, 'refused_for_good'::text, 'no_url'::text, 'never_finished'::text])));
CREATE DOMAIN event_name AS text
  CONSTRAINT event_name_check CHECK ((VALUE = ANY (ARRAY['message.status'::text, 'message.inbound'::text])));
CREATE DOMAIN event_state AS text
  CONSTRAINT event_state_check CHECK ((VALUE = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])));
CREATE DOMAIN event_status AS text
  CONSTRAINT event_status_check CHECK ((VALUE = ANY (ARRAY['queued'::text, 'sent'::text, 'delivered'::text, 'undelivered'::text, 'failed'::text])));
CREATE DOMAIN ledger_kind AS text
  CONSTRAINT ledger_kind_check CHECK ((VALUE = ANY (ARRAY['grant'::text, 'topUp'::text, 'reservation'::text, 'refund'::text, 'expiry'::text])));
CREATE DOMAIN message_error AS text
  CONSTRAINT message_error_check1 CHECK ((VALUE = ANY (ARRAY[''::text, 'network_unavailable'::text, 'delivery_timeout'::text, 'carrier_rejected'::text, 'invalid_number'::text, 'delivery_failed'::text])));
CREATE DOMAIN message_status AS text
  CONSTRAINT message_status_check1 CHECK ((VALUE = ANY (ARRAY['queued'::text, 'submitting'::text, 'submitted'::text, 'sent'::text, 'delivered'::text, 'undelivered'::text, 'failed'::text, 'rejected'::text, 'test'::text])));
CREATE DOMAIN message_type AS text
  CONSTRAINT message_type_check1 CHECK ((VALUE = ANY (ARRAY['transactional'::text, 'otp'::text, 'promotional'::text])));
CREATE DOMAIN message_types AS text[]
  CONSTRAINT message_types_check CHECK ((VALUE <@ ARRAY['transactional'::text, 'otp'::text, 'promotional'::text]));
CREATE DOMAIN price_e4 AS bigint
  CONSTRAINT price_e4_check CHECK (((VALUE >= 0) AND (VALUE <= '1000000000000'::bigint)));
CREATE DOMAIN receipt_rule AS text
  CONSTRAINT receipt_rule_check CHECK ((VALUE = ANY (ARRAY['one'::text, 'none'::text])));
CREATE DOMAIN secret_hash AS bytea
  CONSTRAINT secret_hash_check CHECK ((length(VALUE) = 32));
CREATE DOMAIN segment_count AS smallint
  CONSTRAINT segment_count_check CHECK (((VALUE >= 1) AND (VALUE <= 6)));
CREATE DOMAIN sender_address AS text
  CONSTRAINT sender_address_check CHECK ((VALUE ~ '^[ -~]{1,20}$'::text));
CREATE DOMAIN submission_ordinal AS integer
  CONSTRAINT submission_number_check1 CHECK ((VALUE >= 1));
CREATE DOMAIN submission_outcome AS text
  CONSTRAINT submission_outcome_check CHECK ((VALUE = ANY (ARRAY['open'::text, 'taken'::text, 'slow'::text, 'elsewhere'::text, 'unwritten'::text, 'unknown'::text, 'retry_twice'::text, 'refused'::text])));
CREATE DOMAIN text_encoding AS text
  CONSTRAINT text_encoding_check CHECK ((VALUE = ANY (ARRAY['GSM7'::text, 'UCS2'::text])));
CREATE DOMAIN title AS text
  CONSTRAINT title_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 100)));
CREATE DOMAIN workspace_plan AS text
  CONSTRAINT workspace_plan_check1 CHECK ((VALUE = ANY (ARRAY['standard'::text, 'enterprise'::text])));
CREATE DOMAIN workspace_role AS text
  CONSTRAINT workspace_role_check CHECK ((VALUE = ANY (ARRAY['owner'::text, 'developer'::text, 'viewer'::text])));
CREATE DOMAIN workspace_status AS text
  CONSTRAINT workspace_status_check1 CHECK ((VALUE = ANY (ARRAY['pending'::text, 'active'::text, 'suspended'::text])));
CREATE FUNCTION expect_rows(changed bigint, wanted bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  if changed <> wanted then
    raise exception 'expected % rows to change, and % did', wanted, changed using errcode = 'P0004';
  end if;
end
$$;
CREATE FUNCTION filled_bucket(tokens double precision, size double precision, since timestamp with time zone, until timestamp with time zone) RETURNS double precision
    LANGUAGE sql IMMUTABLE
    RETURN LEAST(size, (tokens + (size * GREATEST((0)::double precision, date_part('epoch'::text, (until - since))))));
CREATE FUNCTION refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the rows of % are only ever added', tg_table_name;
end $$;
CREATE TABLE audit_entry (
    id uuid NOT NULL,
    workspace_id uuid,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb NOT NULL,
    address text,
    request_id text,
    at timestamp with time zone NOT NULL
);
CREATE TABLE captured_frame (
    capture_id uuid NOT NULL,
    holder uuid NOT NULL,
    nth integer NOT NULL,
    at timestamp with time zone NOT NULL,
    bind smallint NOT NULL,
    outgoing boolean NOT NULL,
    bytes bytea NOT NULL,
    decoded jsonb NOT NULL,
    exchange integer,
    called boolean DEFAULT false NOT NULL
);
CREATE TABLE carrier (
    id uuid NOT NULL,
    name text NOT NULL,
    password_sealed bytea,
    binds smallint NOT NULL,
    window_size smallint NOT NULL,
    answer_seconds smallint NOT NULL,
    segments_per_second integer,
    resend_unknown boolean NOT NULL,
    enabled boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    default_sender text,
    break_after_unanswered smallint,
    break_after_refused smallint,
    kind text NOT NULL,
    tls_key_sealed bytea,
    secrets_sealed bytea,
    CONSTRAINT carrier_answer_seconds_check CHECK (((answer_seconds >= 1) AND (answer_seconds <= 300))),
    CONSTRAINT carrier_binds_check CHECK (((binds >= 1) AND (binds <= 50))),
    CONSTRAINT carrier_break_after_refused_check CHECK (((break_after_refused >= 1) AND (break_after_refused <= 1000))),
    CONSTRAINT carrier_break_after_unanswered_check CHECK (((break_after_unanswered >= 1) AND (break_after_unanswered <= 1000))),
    CONSTRAINT carrier_default_sender_check CHECK (((length(default_sender) >= 1) AND (length(default_sender) <= 15))),
    CONSTRAINT carrier_kind_check CHECK ((kind = ANY (ARRAY['smpp'::text, 'http'::text]))),
    CONSTRAINT carrier_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT carrier_secrets CHECK ((num_nonnulls(secrets_sealed, password_sealed) = 1)),
    CONSTRAINT carrier_segments_per_second_check CHECK (((segments_per_second >= 1) AND (segments_per_second <= 100000))),
    CONSTRAINT carrier_window_size_check CHECK (((window_size >= 1) AND (window_size <= 1000)))
);
CREATE TABLE carrier_bind (
    carrier_id uuid NOT NULL,
    number smallint NOT NULL,
    mode text NOT NULL,
    holder uuid,
    leased_until timestamp with time zone,
    state text DEFAULT 'idle'::text NOT NULL,
    bound_at timestamp with time zone,
    in_flight integer DEFAULT 0 NOT NULL,
    segments_per_second real DEFAULT 0 NOT NULL,
    last_error text,
    last_error_at timestamp with time zone,
    worked_at timestamp with time zone NOT NULL,
    works boolean DEFAULT false NOT NULL,
    broken_reason text,
    health_since timestamp with time zone,
    at_rate boolean DEFAULT false NOT NULL,
    peer text,
    CONSTRAINT carrier_bind_check CHECK (((holder IS NULL) = (leased_until IS NULL))),
    CONSTRAINT carrier_bind_check1 CHECK (((holder IS NOT NULL) OR (state = 'idle'::text))),
    CONSTRAINT carrier_bind_check2 CHECK (((state = 'bound'::text) = (bound_at IS NOT NULL))),
    CONSTRAINT carrier_bind_check3 CHECK (((last_error IS NULL) = (last_error_at IS NULL))),
    CONSTRAINT carrier_bind_check4 CHECK (((NOT works) OR ((state = 'bound'::text) AND (broken_reason IS NULL)))),
    CONSTRAINT carrier_bind_mode_check1 CHECK ((mode = ANY (ARRAY['transceiver'::text, 'transmitter'::text, 'receiver'::text]))),
    CONSTRAINT carrier_bind_number_check CHECK ((number >= 1)),
    CONSTRAINT carrier_bind_state_check CHECK ((state = ANY (ARRAY['idle'::text, 'connecting'::text, 'bound'::text, 'waiting'::text])))
)
WITH (fillfactor='50');
CREATE TABLE carrier_capture (
    id uuid NOT NULL,
    carrier_id uuid NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    CONSTRAINT carrier_capture_check CHECK ((ends_at > asked_at))
);
CREATE TABLE carrier_cost_day (
    workspace_id uuid NOT NULL,
    client_id uuid NOT NULL,
    day date NOT NULL,
    type text NOT NULL,
    segments bigint NOT NULL,
    cost_e4 bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE carrier_figure (
    carrier_id uuid NOT NULL,
    prefix text NOT NULL,
    slot timestamp with time zone NOT NULL,
    taken bigint NOT NULL,
    refused bigint NOT NULL,
    unanswered bigint NOT NULL,
    delivered bigint NOT NULL,
    undelivered bigint NOT NULL,
    answer_ms bigint NOT NULL,
    receipts bigint NOT NULL,
    receipt_ms bigint NOT NULL,
    strays bigint DEFAULT 0 NOT NULL,
    unread bigint DEFAULT 0 NOT NULL,
    denied bigint DEFAULT 0 NOT NULL,
    unreadable bigint DEFAULT 0 NOT NULL,
    shared_ids bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE carrier_price_list (
    carrier_id uuid NOT NULL,
    revision integer NOT NULL,
    currency text NOT NULL,
    prefixes text[] NOT NULL,
    prices_e4 bigint[] NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT carrier_price_list_check CHECK ((cardinality(prefixes) = cardinality(prices_e4))),
    CONSTRAINT carrier_price_list_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT carrier_price_list_prefixes_check CHECK ((cardinality(prefixes) <= 1000))
);
CREATE TABLE carrier_test (
    id uuid NOT NULL,
    carrier_id uuid NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    to_number text,
    text text,
    outcome submission_outcome,
    command_status bigint,
    carrier_message_id text,
    reference text,
    milliseconds real,
    answered_at timestamp with time zone,
    report_state text,
    report_code text,
    report_raw text,
    reported_at timestamp with time zone,
    CONSTRAINT carrier_test_check CHECK (((to_number IS NULL) = (text IS NULL))),
    CONSTRAINT carrier_test_check1 CHECK (((outcome IS NULL) = (answered_at IS NULL))),
    CONSTRAINT carrier_test_check2 CHECK (((to_number IS NOT NULL) OR (outcome IS NULL))),
    CONSTRAINT carrier_test_check3 CHECK (((report_state IS NULL) = (reported_at IS NULL)))
);
CREATE TABLE carrier_test_bind (
    test_id uuid NOT NULL,
    number smallint NOT NULL,
    mode text NOT NULL,
    state text NOT NULL,
    bound_at timestamp with time zone,
    holder uuid,
    sends boolean NOT NULL,
    begun_at timestamp with time zone,
    milliseconds real,
    fault text,
    answered_at timestamp with time zone,
    steps jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT carrier_test_bind_check CHECK ((num_nonnulls(milliseconds, fault) = num_nonnulls(answered_at)))
);
CREATE UNLOGGED TABLE challenge (
    id uuid NOT NULL,
    kind text NOT NULL,
    person_id uuid,
    details jsonb NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    place text DEFAULT ''::text NOT NULL,
    CONSTRAINT challenge_kind_check CHECK ((kind = ANY (ARRAY['passkey_new'::text, 'passkey'::text, 'oidc'::text])))
);
CREATE TABLE client (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    brand_name text NOT NULL,
    mode text NOT NULL,
    default_sender text NOT NULL,
    webhook_url text,
    requests_per_second integer NOT NULL,
    test_otp_code_sealed bytea,
    disabled_at timestamp with time zone,
    api_key_hash bytea NOT NULL,
    api_key_prefix text NOT NULL,
    webhook_secret_sealed bytea NOT NULL,
    previous_webhook_secret_sealed bytea,
    previous_webhook_secret_ends_at timestamp with time zone,
    only_types text[],
    only_networks text[],
    only_prefixes text[],
    daily_cap integer,
    hourly_cap_per_number integer,
    pumping_guard text DEFAULT 'monitor'::text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    pumping_allowlist text[],
    operator_restrictions jsonb DEFAULT '{}'::jsonb NOT NULL,
    disabled_by text,
    hourly_cap_since timestamp with time zone,
    listening_by text,
    listening_session uuid,
    listening_until timestamp with time zone,
    CONSTRAINT client_api_key_hash_check CHECK ((length(api_key_hash) = 32)),
    CONSTRAINT client_brand_name_check CHECK (((length(brand_name) >= 1) AND (length(brand_name) <= 30))),
    CONSTRAINT client_check CHECK (((previous_webhook_secret_sealed IS NULL) = (previous_webhook_secret_ends_at IS NULL))),
    CONSTRAINT client_check1 CHECK (((mode = 'test'::text) OR (test_otp_code_sealed IS NULL))),
    CONSTRAINT client_daily_cap_check CHECK ((daily_cap >= 0)),
    CONSTRAINT client_default_sender_check CHECK (((length(default_sender) >= 1) AND (length(default_sender) <= 100))),
    CONSTRAINT client_disabled_by CHECK (((disabled_by IS NULL) = (disabled_at IS NULL))),
    CONSTRAINT client_disabled_by_check CHECK ((disabled_by = ANY (ARRAY['operator'::text, 'owner'::text]))),
    CONSTRAINT client_hourly_cap_per_number_check CHECK ((hourly_cap_per_number >= 0)),
    CONSTRAINT client_listening_check CHECK ((num_nonnulls(listening_by, listening_session, listening_until) = ANY (ARRAY[0, 3]))),
    CONSTRAINT client_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
    CONSTRAINT client_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT client_only_types_check CHECK ((only_types <@ ARRAY['transactional'::text, 'otp'::text, 'promotional'::text])),
    CONSTRAINT client_pumping_guard_check CHECK ((pumping_guard = ANY (ARRAY['off'::text, 'monitor'::text, 'block'::text]))),
    CONSTRAINT client_requests_per_second_check CHECK (((requests_per_second >= 1) AND (requests_per_second <= 100000))),
    CONSTRAINT client_webhook_url_check CHECK ((webhook_url ~~ 'https://%'::text))
);
CREATE TABLE client_counter (
    client_id uuid NOT NULL,
    sent bigint DEFAULT 0 NOT NULL,
    delivered bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    part smallint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE country (
    code text NOT NULL,
    name text NOT NULL,
    state text NOT NULL,
    time_zone text NOT NULL,
    quiet_from text,
    quiet_to text,
    policy text DEFAULT 'weighted'::text NOT NULL,
    CONSTRAINT country_check CHECK (((quiet_from IS NULL) = (quiet_to IS NULL))),
    CONSTRAINT country_code_check CHECK ((code ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT country_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT country_policy_check CHECK ((policy = ANY (ARRAY['weighted'::text, 'priority'::text, 'cheapest'::text]))),
    CONSTRAINT country_quiet_from_check CHECK ((quiet_from ~ '^([01]\d|2[0-3]):[0-5]\d$'::text)),
    CONSTRAINT country_quiet_to_check CHECK ((quiet_to ~ '^([01]\d|2[0-3]):[0-5]\d$'::text)),
    CONSTRAINT country_state_check CHECK ((state = ANY (ARRAY['live'::text, 'comingSoon'::text, 'off'::text])))
);
CREATE TABLE deadline_mark (
    kind text NOT NULL,
    swept_to uuid NOT NULL,
    swept_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT deadline_mark_kind_check CHECK ((kind = ANY (ARRAY['otp'::text, 'other'::text])))
);
CREATE TABLE delivery_process (
    id uuid NOT NULL,
    seen_until timestamp with time zone NOT NULL,
    taken integer DEFAULT 0 NOT NULL,
    refused integer DEFAULT 0 NOT NULL,
    delivered integer DEFAULT 0 NOT NULL,
    undelivered integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE delivery_queue (
    message_id uuid NOT NULL,
    destination text NOT NULL,
    priority delivery_priority NOT NULL,
    due_at timestamp with time zone NOT NULL,
    claim_id uuid,
    claims integer DEFAULT 0 NOT NULL,
    avoid_carrier_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    client_id uuid NOT NULL,
    leased_until timestamp with time zone,
    CONSTRAINT delivery_queue_check CHECK (((claim_id IS NULL) = (leased_until IS NULL)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY delivery_queue ALTER COLUMN message_id SET STATISTICS 10;
ALTER TABLE ONLY delivery_queue ALTER COLUMN destination SET STATISTICS 10;
ALTER TABLE ONLY delivery_queue ALTER COLUMN priority SET STATISTICS 10;
ALTER TABLE ONLY delivery_queue ALTER COLUMN due_at SET STATISTICS 10;
ALTER TABLE ONLY delivery_queue ALTER COLUMN claim_id SET STATISTICS 10;
ALTER TABLE ONLY delivery_queue ALTER COLUMN claims SET STATISTICS 10;
CREATE TABLE email_link (
    id uuid NOT NULL,
    secret_hash secret_hash NOT NULL,
    person_id uuid NOT NULL,
    email email_address NOT NULL,
    is_open boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE http_carrier (
    carrier_id uuid NOT NULL,
    description jsonb NOT NULL,
    secret_names text[] NOT NULL,
    callback_hash text,
    CONSTRAINT http_carrier_secret_names_check CHECK ((cardinality(secret_names) <= 20))
);
CREATE TABLE idempotent_answer (
    client_id uuid NOT NULL,
    idempotency_key text NOT NULL,
    key_id text NOT NULL,
    fingerprint bytea NOT NULL,
    answer text NOT NULL,
    answered_at timestamp with time zone NOT NULL
);
CREATE TABLE inbound_message (
    id uuid NOT NULL,
    carrier_id uuid NOT NULL,
    workspace_id uuid,
    client_id uuid,
    from_number text NOT NULL,
    to_address text NOT NULL,
    text text NOT NULL,
    in_reply_to uuid,
    received_at timestamp with time zone NOT NULL,
    CONSTRAINT inbound_message_check CHECK (((workspace_id IS NULL) = (client_id IS NULL))),
    CONSTRAINT inbound_message_check1 CHECK (((client_id IS NOT NULL) OR (in_reply_to IS NULL)))
);
CREATE TABLE inbound_part (
    carrier_id uuid NOT NULL,
    from_number text NOT NULL,
    to_address text NOT NULL,
    reference integer NOT NULL,
    reference_bits smallint NOT NULL,
    total smallint NOT NULL,
    part smallint NOT NULL,
    text_json text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    CONSTRAINT inbound_part_check CHECK (((part >= 1) AND (part <= total))),
    CONSTRAINT inbound_part_reference_bits_check CHECK ((reference_bits = ANY (ARRAY[8, 16]))),
    CONSTRAINT inbound_part_total_check CHECK (((total >= 2) AND (total <= 255)))
);
CREATE TABLE inbound_seen (
    fingerprint text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);
CREATE TABLE invitation (
    id uuid NOT NULL,
    secret_hash secret_hash NOT NULL,
    kind text NOT NULL,
    email email_address,
    workspace_id uuid,
    role workspace_role,
    person_id uuid,
    is_mailed boolean NOT NULL,
    made_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT invitation_check CHECK (((kind = 'operator'::text) OR (email IS NOT NULL))),
    CONSTRAINT invitation_check1 CHECK ((((kind = 'member'::text) = (workspace_id IS NOT NULL)) AND ((workspace_id IS NULL) = (role IS NULL)))),
    CONSTRAINT invitation_check2 CHECK (((kind = 'recovery'::text) = (person_id IS NOT NULL))),
    CONSTRAINT invitation_kind_check CHECK ((kind = ANY (ARRAY['operator'::text, 'member'::text, 'recovery'::text])))
);
CREATE TABLE keyring_key (
    purpose text NOT NULL,
    key_id text NOT NULL,
    fingerprint text NOT NULL,
    CONSTRAINT keyring_key_purpose_check CHECK ((purpose = ANY (ARRAY['codes'::text, 'texts'::text, 'secrets'::text])))
);
CREATE TABLE ledger_entry (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    period date NOT NULL,
    kind ledger_kind NOT NULL,
    amount_e4 charge_e4 NOT NULL,
    balance_e4 amount_e4 NOT NULL,
    message_id uuid,
    note text,
    at timestamp with time zone NOT NULL,
    messages integer,
    CONSTRAINT ledger_entry_of_message CHECK (
CASE kind
    WHEN 'reservation'::text THEN (message_id IS NULL)
    WHEN 'refund'::text THEN (message_id IS NOT NULL)
    ELSE true
END),
    CONSTRAINT ledger_entry_reservation CHECK (((((kind)::text = 'reservation'::text) = (messages IS NOT NULL)) AND (messages > 0)))
);
ALTER TABLE ONLY ledger_entry ALTER COLUMN workspace_id SET STATISTICS 10;
ALTER TABLE ONLY ledger_entry ALTER COLUMN id SET STATISTICS 10;
ALTER TABLE ONLY ledger_entry ALTER COLUMN period SET STATISTICS 10;
ALTER TABLE ONLY ledger_entry ALTER COLUMN kind SET STATISTICS 10;
ALTER TABLE ONLY ledger_entry ALTER COLUMN amount_e4 SET STATISTICS 10;
ALTER TABLE ONLY ledger_entry ALTER COLUMN balance_e4 SET STATISTICS 10;
ALTER TABLE ONLY ledger_entry ALTER COLUMN message_id SET STATISTICS 10;
ALTER TABLE ONLY ledger_entry ALTER COLUMN note SET STATISTICS 10;
ALTER TABLE ONLY ledger_entry ALTER COLUMN at SET STATISTICS 10;
ALTER TABLE ONLY ledger_entry ALTER COLUMN messages SET STATISTICS 10;
CREATE VIEW ledger_line AS
 SELECT ledger_entry.workspace_id,
    ledger_entry.id,
    ledger_entry.period,
    ledger_entry.at,
    c.credited AS account,
    ledger_entry.amount_e4
   FROM (ledger_entry
     CROSS JOIN LATERAL ( SELECT
                CASE ledger_entry.kind
                    WHEN 'reservation'::text THEN 'spent'::text
                    WHEN 'expiry'::text THEN 'expired'::text
                    ELSE 'available'::text
                END AS "case") c(credited))
UNION ALL
 SELECT ledger_entry.workspace_id,
    ledger_entry.id,
    ledger_entry.period,
    ledger_entry.at,
    d.debited AS account,
    (- (ledger_entry.amount_e4)::bigint) AS amount_e4
   FROM (ledger_entry
     CROSS JOIN LATERAL ( SELECT
                CASE ledger_entry.kind
                    WHEN 'refund'::text THEN 'spent'::text
                    WHEN 'grant'::text THEN 'funding'::text
                    WHEN 'topUp'::text THEN 'funding'::text
                    ELSE 'available'::text
                END AS "case") d(debited));
CREATE TABLE listening_event (
    "position" bigint NOT NULL,
    client_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    name event_name NOT NULL,
    message_id uuid,
    webhook_status event_status,
    body bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    told boolean DEFAULT false NOT NULL,
    CONSTRAINT listening_event_check CHECK (((message_id IS NULL) = (webhook_status IS NULL)))
);
ALTER TABLE listening_event ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME listening_event_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE membership (
    person_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    role workspace_role NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE message (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    client_id uuid NOT NULL,
    to_number text NOT NULL,
    country text NOT NULL,
    sender text NOT NULL,
    text text,
    type message_type NOT NULL,
    encoding text_encoding NOT NULL,
    segments segment_count NOT NULL,
    cost_e4 amount_e4 NOT NULL,
    status message_status NOT NULL,
    error message_error DEFAULT ''::text NOT NULL,
    submissions smallint DEFAULT 0 NOT NULL,
    dlr jsonb,
    submitted_at timestamp with time zone,
    sent_at timestamp with time zone,
    delivered_at timestamp with time zone,
    failed_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    reservation_id uuid,
    rare_status text,
    undelivered_at timestamp with time zone,
    template_id uuid
)
WITH (fillfactor='70', autovacuum_analyze_scale_factor='0.2', autovacuum_analyze_threshold='10000');
ALTER TABLE ONLY message ALTER COLUMN id SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN workspace_id SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN client_id SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN to_number SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN country SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN sender SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN text SET STATISTICS 0;
ALTER TABLE ONLY message ALTER COLUMN type SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN encoding SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN segments SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN cost_e4 SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN status SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN error SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN submissions SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN dlr SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN submitted_at SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN sent_at SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN delivered_at SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN failed_at SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN created_at SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN updated_at SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN reservation_id SET STATISTICS 10;
ALTER TABLE ONLY message ALTER COLUMN rare_status SET STATISTICS 10;
CREATE TABLE message_quarter (
    workspace_id uuid NOT NULL,
    quarter timestamp with time zone NOT NULL,
    part smallint NOT NULL,
    accepted bigint DEFAULT 0 NOT NULL,
    delivered bigint DEFAULT 0 NOT NULL,
    undelivered bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE orphan_report (
    id uuid NOT NULL,
    carrier_id uuid NOT NULL,
    reference text NOT NULL,
    to_number text NOT NULL,
    status text NOT NULL,
    error text NOT NULL,
    state text NOT NULL,
    code text NOT NULL,
    raw text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    looks smallint DEFAULT 0 NOT NULL,
    look_at timestamp with time zone NOT NULL,
    by_text boolean DEFAULT false NOT NULL
);
CREATE UNLOGGED TABLE otp_caller (
    client_id uuid NOT NULL,
    caller text NOT NULL,
    asked_at timestamp with time zone[] NOT NULL,
    granted integer NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE otp_code (
    client_id uuid NOT NULL,
    to_number text NOT NULL,
    purpose text NOT NULL,
    otp_id uuid NOT NULL,
    message_id uuid NOT NULL,
    key_id text NOT NULL,
    code_hash bytea NOT NULL,
    wrong_tries smallint DEFAULT 0 NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT otp_code_code_hash_check CHECK ((length(code_hash) = 32)),
    CONSTRAINT otp_code_purpose_check CHECK ((length(purpose) <= 50)),
    CONSTRAINT otp_code_wrong_tries_check CHECK (((wrong_tries >= 0) AND (wrong_tries <= 5)))
)
WITH (fillfactor='70');
CREATE TABLE otp_day (
    workspace_id uuid NOT NULL,
    day date NOT NULL,
    operator_prefix text NOT NULL,
    stage code_stage NOT NULL,
    codes bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE otp_hour (
    client_id uuid NOT NULL,
    operator_prefix text NOT NULL,
    hour timestamp with time zone NOT NULL,
    sends bigint DEFAULT 0 NOT NULL,
    verified bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE otp_send_stat (
    id uuid NOT NULL,
    client_id uuid NOT NULL,
    to_number text NOT NULL,
    operator_prefix text NOT NULL,
    block text NOT NULL,
    last_four smallint NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    verified_at timestamp with time zone,
    failed boolean DEFAULT false NOT NULL,
    CONSTRAINT otp_send_stat_last_four_check CHECK (((last_four >= 0) AND (last_four <= 9999)))
)
WITH (fillfactor='80');
CREATE TABLE owner_token (
    id uuid NOT NULL,
    workspace_id uuid,
    name text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    role text NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    person_id uuid,
    CONSTRAINT owner_token_check CHECK (((role = 'operator'::text) = (workspace_id IS NULL))),
    CONSTRAINT owner_token_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT owner_token_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'owner'::text, 'developer'::text, 'viewer'::text]))),
    CONSTRAINT owner_token_token_hash_check CHECK ((length(token_hash) = 32))
);
CREATE TABLE passkey (
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    name title NOT NULL,
    credential_id bytea NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT passkey_counter_check CHECK ((counter >= 0)),
    CONSTRAINT passkey_credential_id_check CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1023))),
    CONSTRAINT passkey_public_key_check CHECK ((length(public_key) <= 4096))
);
CREATE TABLE person (
    id uuid NOT NULL,
    email email_address NOT NULL,
    email_verified_at timestamp with time zone,
    name title NOT NULL,
    language text,
    is_operator boolean DEFAULT false NOT NULL,
    password_hash text,
    created_at timestamp with time zone NOT NULL,
    totp_sealed bytea,
    totp_confirmed_at timestamp with time zone,
    totp_step bigint DEFAULT 0 NOT NULL,
    CONSTRAINT person_check CHECK (((totp_confirmed_at IS NULL) OR (totp_sealed IS NOT NULL))),
    CONSTRAINT person_language_check CHECK ((language = ANY (ARRAY['en'::text, 'ne'::text]))),
    CONSTRAINT person_password_hash_check CHECK ((password_hash ~~ '$argon2id$%'::text))
);
CREATE TABLE posting (
    delivery_id uuid NOT NULL,
    claim_id uuid NOT NULL,
    url text NOT NULL,
    posted_at timestamp with time zone NOT NULL,
    milliseconds integer NOT NULL,
    status_code smallint,
    failure text,
    answer_head bytea,
    CONSTRAINT posting_check CHECK (((status_code IS NULL) <> (failure IS NULL)))
);
ALTER TABLE ONLY posting ALTER COLUMN delivery_id SET STATISTICS 10;
ALTER TABLE ONLY posting ALTER COLUMN claim_id SET STATISTICS 10;
ALTER TABLE ONLY posting ALTER COLUMN url SET STATISTICS 10;
ALTER TABLE ONLY posting ALTER COLUMN posted_at SET STATISTICS 10;
ALTER TABLE ONLY posting ALTER COLUMN milliseconds SET STATISTICS 10;
ALTER TABLE ONLY posting ALTER COLUMN status_code SET STATISTICS 10;
ALTER TABLE ONLY posting ALTER COLUMN failure SET STATISTICS 10;
ALTER TABLE ONLY posting ALTER COLUMN answer_head SET STATISTICS 10;
CREATE TABLE pumping_finding (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    client_id uuid NOT NULL,
    scope text NOT NULL,
    rule text NOT NULL,
    reason text NOT NULL,
    strikes integer NOT NULL,
    struck_at timestamp with time zone NOT NULL,
    held_until timestamp with time zone NOT NULL,
    refused bigint NOT NULL,
    passed bigint NOT NULL,
    CONSTRAINT pumping_finding_rule_check CHECK ((rule = ANY (ARRAY['R1'::text, 'R2'::text, 'R3'::text])))
)
WITH (fillfactor='70');
CREATE TABLE pumping_hold (
    client_id uuid NOT NULL,
    scope text NOT NULL,
    rule text NOT NULL,
    reason text NOT NULL,
    mode text NOT NULL,
    strikes integer NOT NULL,
    struck_at timestamp with time zone NOT NULL,
    held_until timestamp with time zone NOT NULL,
    CONSTRAINT pumping_hold_mode_check CHECK ((mode = ANY (ARRAY['monitor'::text, 'block'::text]))),
    CONSTRAINT pumping_hold_rule_check CHECK ((rule = ANY (ARRAY['R1'::text, 'R2'::text, 'R3'::text]))),
    CONSTRAINT pumping_hold_strikes_check CHECK ((strikes > 0))
);
CREATE TABLE readiness_probe (
    process_id uuid NOT NULL,
    written_at timestamp with time zone NOT NULL
);
CREATE TABLE receipt_poll (
    message_id uuid NOT NULL,
    ordinal integer NOT NULL,
    segment smallint NOT NULL,
    carrier_id uuid NOT NULL,
    carrier_message_id text,
    reference text NOT NULL,
    to_number text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    asked smallint DEFAULT 0 NOT NULL,
    said text DEFAULT ''::text NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    CONSTRAINT receipt_poll_asked_check CHECK ((asked >= 0))
);
CREATE TABLE receipt_process (
    id uuid NOT NULL,
    seen_until timestamp with time zone NOT NULL,
    delivered integer NOT NULL,
    undelivered integer NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE recovery_code (
    person_id uuid NOT NULL,
    code_hash secret_hash NOT NULL
);
CREATE TABLE refused_request (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    client_id uuid NOT NULL,
    method text NOT NULL,
    route text NOT NULL,
    status smallint NOT NULL,
    code text NOT NULL,
    milliseconds integer NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE report (
    message_id uuid NOT NULL,
    id uuid NOT NULL,
    ordinal integer NOT NULL,
    segment smallint NOT NULL,
    status text NOT NULL,
    error text NOT NULL,
    state text NOT NULL,
    code text NOT NULL,
    raw text NOT NULL,
    received_at timestamp with time zone NOT NULL,
    CONSTRAINT report_error_check CHECK ((error = ANY (ARRAY[''::text, 'network_unavailable'::text, 'delivery_timeout'::text, 'carrier_rejected'::text, 'invalid_number'::text, 'delivery_failed'::text]))),
    CONSTRAINT report_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'undelivered'::text, 'rejected'::text])))
);
ALTER TABLE ONLY report ALTER COLUMN message_id SET STATISTICS 10;
ALTER TABLE ONLY report ALTER COLUMN id SET STATISTICS 10;
ALTER TABLE ONLY report ALTER COLUMN ordinal SET STATISTICS 10;
ALTER TABLE ONLY report ALTER COLUMN segment SET STATISTICS 10;
ALTER TABLE ONLY report ALTER COLUMN status SET STATISTICS 10;
ALTER TABLE ONLY report ALTER COLUMN error SET STATISTICS 10;
ALTER TABLE ONLY report ALTER COLUMN state SET STATISTICS 10;
ALTER TABLE ONLY report ALTER COLUMN code SET STATISTICS 10;
ALTER TABLE ONLY report ALTER COLUMN raw SET STATISTICS 10;
ALTER TABLE ONLY report ALTER COLUMN received_at SET STATISTICS 10;
CREATE UNLOGGED TABLE request_bucket (
    client_id uuid NOT NULL,
    tokens double precision NOT NULL,
    refilled_at timestamp with time zone NOT NULL,
    granted integer NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE request_count (
    workspace_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    method text NOT NULL,
    route text NOT NULL,
    status smallint NOT NULL,
    code text NOT NULL,
    requests bigint NOT NULL,
    last_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE resent_message (
    message_id uuid NOT NULL,
    resent_as uuid NOT NULL,
    resent_at timestamp with time zone NOT NULL
);
CREATE TABLE route (
    id uuid NOT NULL,
    country text NOT NULL,
    prefixes text[] NOT NULL,
    types text[],
    carrier_id uuid NOT NULL,
    priority integer NOT NULL,
    sorted boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    overflow boolean DEFAULT false NOT NULL,
    weight smallint DEFAULT 0 NOT NULL,
    CONSTRAINT route_check CHECK (((country <> '*'::text) OR (prefixes = '{}'::text[]))),
    CONSTRAINT route_country_check CHECK ((country ~ '^([A-Z]{2}|\*)$'::text)),
    CONSTRAINT route_priority_check CHECK (((priority >= 0) AND (priority <= 1000000))),
    CONSTRAINT route_types_check CHECK ((types <@ ARRAY['transactional'::text, 'otp'::text, 'promotional'::text])),
    CONSTRAINT route_weight_check CHECK (((weight >= 0) AND (weight <= 1000)))
);
CREATE TABLE schema_migration (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone NOT NULL
);
CREATE TABLE sealed_text (
    message_id uuid NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE service (
    only_row boolean DEFAULT true NOT NULL,
    sms_enabled boolean DEFAULT true NOT NULL,
    manual_clock_at timestamp with time zone,
    demo_made_at timestamp with time zone,
    routing_revision bigint DEFAULT 0 NOT NULL,
    CONSTRAINT service_only_row_check CHECK (only_row)
);
CREATE TABLE session (
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    token_hash secret_hash NOT NULL,
    created_at timestamp with time zone NOT NULL,
    signed_in_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    address text,
    user_agent text,
    CONSTRAINT session_check CHECK (((ends_at > last_seen_at) AND (last_seen_at >= signed_in_at) AND (signed_in_at >= created_at))),
    CONSTRAINT session_user_agent_check CHECK ((length(user_agent) <= 300))
);
CREATE TABLE smpp_carrier (
    carrier_id uuid NOT NULL,
    settings jsonb NOT NULL,
    CONSTRAINT smpp_carrier_settings_check CHECK (((settings ?& ARRAY['host'::text, 'port'::text, 'systemId'::text]) AND ((length((settings ->> 'host'::text)) >= 1) AND (length((settings ->> 'host'::text)) <= 253)) AND ((((settings ->> 'port'::text))::integer >= 1) AND (((settings ->> 'port'::text))::integer <= 65535)) AND ((length((settings ->> 'systemId'::text)) >= 1) AND (length((settings ->> 'systemId'::text)) <= 15))))
);
CREATE TABLE submission (
    message_id uuid NOT NULL,
    ordinal submission_ordinal NOT NULL,
    segment smallint NOT NULL,
    of_segments segment_count NOT NULL,
    carrier_id uuid NOT NULL,
    to_number text NOT NULL,
    outcome submission_outcome DEFAULT 'open'::text NOT NULL,
    error message_error DEFAULT ''::text NOT NULL,
    command_status bigint,
    carrier_message_id text,
    reference text,
    claimed_at timestamp with time zone NOT NULL,
    answered_at timestamp with time zone,
    sender sender_address,
    receipts receipt_rule,
    let_go_at timestamp with time zone,
    cost_e4 bigint,
    CONSTRAINT submission_check CHECK (((segment >= 1) AND (segment <= (of_segments)::smallint))),
    CONSTRAINT submission_check1 CHECK ((((outcome)::text = 'open'::text) = (answered_at IS NULL))),
    CONSTRAINT submission_check2 CHECK ((((outcome)::text = 'refused'::text) = ((error)::text <> ''::text))),
    CONSTRAINT submission_check3 CHECK ((((outcome)::text = 'taken'::text) OR (reference IS NULL)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY submission ALTER COLUMN message_id SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN ordinal SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN segment SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN of_segments SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN carrier_id SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN to_number SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN outcome SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN error SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN command_status SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN carrier_message_id SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN reference SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN claimed_at SET STATISTICS 10;
ALTER TABLE ONLY submission ALTER COLUMN answered_at SET STATISTICS 10;
CREATE TABLE template (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    text text NOT NULL,
    status text NOT NULL,
    reason text,
    created_at timestamp with time zone NOT NULL,
    reviewed_at timestamp with time zone,
    carrier_fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT template_check CHECK (((status = 'rejected'::text) = (reason IS NOT NULL))),
    CONSTRAINT template_check1 CHECK (((status = 'pending'::text) = (reviewed_at IS NULL))),
    CONSTRAINT template_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT template_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text]))),
    CONSTRAINT template_text_check CHECK (((length(text) >= 1) AND (length(text) <= 1000))),
    CONSTRAINT template_type_check CHECK ((type = ANY (ARRAY['transactional'::text, 'otp'::text, 'promotional'::text])))
);
CREATE TABLE unmatched_hour (
    carrier_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    receipts bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE unmatched_receipt (
    carrier_id uuid NOT NULL,
    id uuid NOT NULL,
    reference text NOT NULL,
    to_number text NOT NULL,
    state text NOT NULL,
    code text NOT NULL,
    raw text NOT NULL,
    received_at timestamp with time zone NOT NULL
);
CREATE TABLE usage_day (
    workspace_id uuid NOT NULL,
    client_id uuid NOT NULL,
    day date NOT NULL,
    type text NOT NULL,
    messages bigint NOT NULL,
    segments bigint NOT NULL,
    cost_e4 bigint NOT NULL,
    refunds bigint DEFAULT 0 NOT NULL,
    refunded_e4 bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE verified_number (
    workspace_id uuid NOT NULL,
    to_number text NOT NULL,
    verified_at timestamp with time zone NOT NULL
);
CREATE TABLE webhook_event (
    delivery_id uuid NOT NULL,
    client_id uuid NOT NULL,
    name event_name NOT NULL,
    message_id uuid,
    webhook_status event_status,
    body bytea NOT NULL,
    state event_state DEFAULT 'pending'::text NOT NULL,
    dead_because event_end,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT webhook_event_check CHECK (((message_id IS NULL) = (webhook_status IS NULL))),
    CONSTRAINT webhook_event_check1 CHECK ((((state)::text = 'pending'::text) = (ended_at IS NULL))),
    CONSTRAINT webhook_event_check2 CHECK ((((state)::text = 'dead'::text) = (dead_because IS NOT NULL)))
)
WITH (fillfactor='80', autovacuum_analyze_scale_factor='0.2', autovacuum_analyze_threshold='10000');
ALTER TABLE ONLY webhook_event ALTER COLUMN delivery_id SET STATISTICS 10;
ALTER TABLE ONLY webhook_event ALTER COLUMN client_id SET STATISTICS 10;
ALTER TABLE ONLY webhook_event ALTER COLUMN name SET STATISTICS 10;
ALTER TABLE ONLY webhook_event ALTER COLUMN message_id SET STATISTICS 10;
ALTER TABLE ONLY webhook_event ALTER COLUMN webhook_status SET STATISTICS 10;
ALTER TABLE ONLY webhook_event ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE ONLY webhook_event ALTER COLUMN state SET STATISTICS 10;
ALTER TABLE ONLY webhook_event ALTER COLUMN dead_because SET STATISTICS 10;
ALTER TABLE ONLY webhook_event ALTER COLUMN created_at SET STATISTICS 10;
ALTER TABLE ONLY webhook_event ALTER COLUMN ended_at SET STATISTICS 10;
CREATE TABLE webhook_queue (
    delivery_id uuid NOT NULL,
    client_id uuid NOT NULL,
    retry boolean DEFAULT false NOT NULL,
    due_at timestamp with time zone NOT NULL,
    claim_id uuid,
    postings smallint DEFAULT 0 NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    workspace_id uuid NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY webhook_queue ALTER COLUMN delivery_id SET STATISTICS 10;
ALTER TABLE ONLY webhook_queue ALTER COLUMN client_id SET STATISTICS 10;
ALTER TABLE ONLY webhook_queue ALTER COLUMN retry SET STATISTICS 10;
ALTER TABLE ONLY webhook_queue ALTER COLUMN due_at SET STATISTICS 10;
ALTER TABLE ONLY webhook_queue ALTER COLUMN claim_id SET STATISTICS 10;
ALTER TABLE ONLY webhook_queue ALTER COLUMN postings SET STATISTICS 10;
ALTER TABLE ONLY webhook_queue ALTER COLUMN claims SET STATISTICS 10;
ALTER TABLE ONLY webhook_queue ALTER COLUMN workspace_id SET STATISTICS 10;
CREATE TABLE window_hit (
    scope text NOT NULL,
    at timestamp with time zone NOT NULL,
    id uuid NOT NULL
);
CREATE TABLE workspace (
    id uuid NOT NULL,
    name title NOT NULL,
    country country_code NOT NULL,
    currency currency_code NOT NULL,
    time_zone text NOT NULL,
    plan workspace_plan NOT NULL,
    status workspace_status NOT NULL,
    monthly_credit_e4 amount_e4 NOT NULL,
    transactional_price_e4 price_e4 NOT NULL,
    otp_price_e4 price_e4 NOT NULL,
    promotional_price_e4 price_e4 NOT NULL,
    allowed_types message_types NOT NULL,
    allowed_countries text[],
    templates_required boolean NOT NULL,
    templates_revision bigint DEFAULT 0 NOT NULL,
    balance_e4 amount_e4 DEFAULT 0 NOT NULL,
    period date NOT NULL,
    period_ends_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    max_clients client_count DEFAULT 20 NOT NULL,
    last_entry_id uuid,
    low_credit_e4 amount_e4,
    carrier_fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT promotional_is_enterprise CHECK ((((plan)::text = 'enterprise'::text) OR (NOT ('promotional'::text = ANY ((allowed_types)::text[])))))
)
WITH (fillfactor='50');
CREATE TABLE workspace_start (
    workspace_id uuid NOT NULL,
    key_used_at timestamp with time zone,
    message_at timestamp with time zone,
    code_verified_at timestamp with time zone,
    webhook_at timestamp with time zone
);
CREATE UNLOGGED TABLE wrong_sign_in (
    about secret_hash NOT NULL,
    times integer NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT wrong_sign_in_times_check CHECK ((times > 0))
);
ALTER TABLE ONLY audit_entry
    ADD CONSTRAINT audit_entry_pkey PRIMARY KEY (id);
ALTER TABLE ONLY captured_frame
    ADD CONSTRAINT captured_frame_pkey PRIMARY KEY (capture_id, holder, nth);
ALTER TABLE ONLY carrier_bind
    ADD CONSTRAINT carrier_bind_pkey PRIMARY KEY (carrier_id, number);
ALTER TABLE ONLY carrier_capture
    ADD CONSTRAINT carrier_capture_pkey PRIMARY KEY (id);
ALTER TABLE ONLY carrier_cost_day
    ADD CONSTRAINT carrier_cost_day_pkey PRIMARY KEY (client_id, day, type);
ALTER TABLE ONLY carrier_figure
    ADD CONSTRAINT carrier_figure_pkey PRIMARY KEY (carrier_id, prefix, slot);
ALTER TABLE ONLY carrier
    ADD CONSTRAINT carrier_name UNIQUE (name);
ALTER TABLE ONLY carrier
    ADD CONSTRAINT carrier_pkey PRIMARY KEY (id);
ALTER TABLE ONLY carrier_price_list
    ADD CONSTRAINT carrier_price_list_pkey PRIMARY KEY (carrier_id);
ALTER TABLE ONLY carrier_test_bind
    ADD CONSTRAINT carrier_test_bind_pkey PRIMARY KEY (test_id, number);
ALTER TABLE ONLY carrier_test
    ADD CONSTRAINT carrier_test_pkey PRIMARY KEY (id);
ALTER TABLE ONLY challenge
    ADD CONSTRAINT challenge_pkey PRIMARY KEY (id);
ALTER TABLE ONLY client
    ADD CONSTRAINT client_api_key UNIQUE (api_key_hash);
ALTER TABLE ONLY client_counter
    ADD CONSTRAINT client_counter_pkey PRIMARY KEY (client_id, part);
ALTER TABLE ONLY client
    ADD CONSTRAINT client_pkey PRIMARY KEY (id);
ALTER TABLE ONLY country
    ADD CONSTRAINT country_pkey PRIMARY KEY (code);
ALTER TABLE ONLY deadline_mark
    ADD CONSTRAINT deadline_mark_pkey PRIMARY KEY (kind);
ALTER TABLE ONLY delivery_process
    ADD CONSTRAINT delivery_process_pkey PRIMARY KEY (id);
ALTER TABLE ONLY delivery_queue
    ADD CONSTRAINT delivery_queue_pkey PRIMARY KEY (message_id);
ALTER TABLE ONLY email_link
    ADD CONSTRAINT email_link_pkey PRIMARY KEY (id);
ALTER TABLE ONLY email_link
    ADD CONSTRAINT email_link_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY http_carrier
    ADD CONSTRAINT http_carrier_callback_hash_key UNIQUE (callback_hash);
ALTER TABLE ONLY http_carrier
    ADD CONSTRAINT http_carrier_pkey PRIMARY KEY (carrier_id);
ALTER TABLE ONLY idempotent_answer
    ADD CONSTRAINT idempotent_answer_pkey PRIMARY KEY (client_id, idempotency_key);
ALTER TABLE ONLY inbound_message
    ADD CONSTRAINT inbound_message_pkey PRIMARY KEY (id);
ALTER TABLE ONLY inbound_part
    ADD CONSTRAINT inbound_part_pkey PRIMARY KEY (carrier_id, from_number, to_address, reference, reference_bits, total, part);
ALTER TABLE ONLY inbound_seen
    ADD CONSTRAINT inbound_seen_pkey PRIMARY KEY (fingerprint);
ALTER TABLE ONLY invitation
    ADD CONSTRAINT invitation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY invitation
    ADD CONSTRAINT invitation_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY keyring_key
    ADD CONSTRAINT keyring_key_pkey PRIMARY KEY (purpose, key_id);
ALTER TABLE ONLY ledger_entry
    ADD CONSTRAINT ledger_entry_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY listening_event
    ADD CONSTRAINT listening_event_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY membership
    ADD CONSTRAINT membership_pkey PRIMARY KEY (person_id, workspace_id);
ALTER TABLE ONLY message
    ADD CONSTRAINT message_pkey PRIMARY KEY (id);
ALTER TABLE ONLY message_quarter
    ADD CONSTRAINT message_quarter_pkey PRIMARY KEY (workspace_id, quarter, part);
ALTER TABLE ONLY orphan_report
    ADD CONSTRAINT orphan_report_pkey PRIMARY KEY (id);
ALTER TABLE ONLY otp_caller
    ADD CONSTRAINT otp_caller_pkey PRIMARY KEY (client_id, caller);
ALTER TABLE ONLY otp_code
    ADD CONSTRAINT otp_code_otp_id_key UNIQUE (otp_id);
ALTER TABLE ONLY otp_code
    ADD CONSTRAINT otp_code_pkey PRIMARY KEY (client_id, to_number, purpose);
ALTER TABLE ONLY otp_day
    ADD CONSTRAINT otp_day_pkey PRIMARY KEY (workspace_id, day, operator_prefix, stage);
ALTER TABLE ONLY otp_hour
    ADD CONSTRAINT otp_hour_pkey PRIMARY KEY (client_id, operator_prefix, hour);
ALTER TABLE ONLY otp_send_stat
    ADD CONSTRAINT otp_send_stat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY owner_token
    ADD CONSTRAINT owner_token_pkey PRIMARY KEY (id);
ALTER TABLE ONLY owner_token
    ADD CONSTRAINT owner_token_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY passkey
    ADD CONSTRAINT passkey_credential_id_key UNIQUE (credential_id);
ALTER TABLE ONLY passkey
    ADD CONSTRAINT passkey_pkey PRIMARY KEY (id);
ALTER TABLE ONLY person
    ADD CONSTRAINT person_email_key UNIQUE (email);
ALTER TABLE ONLY person
    ADD CONSTRAINT person_pkey PRIMARY KEY (id);
ALTER TABLE ONLY posting
    ADD CONSTRAINT posting_pkey PRIMARY KEY (delivery_id, claim_id);
ALTER TABLE ONLY pumping_finding
    ADD CONSTRAINT pumping_finding_client_id_scope_struck_at_key UNIQUE (client_id, scope, struck_at);
ALTER TABLE ONLY pumping_finding
    ADD CONSTRAINT pumping_finding_pkey PRIMARY KEY (id);
ALTER TABLE ONLY pumping_hold
    ADD CONSTRAINT pumping_hold_pkey PRIMARY KEY (client_id, scope);
ALTER TABLE ONLY readiness_probe
    ADD CONSTRAINT readiness_probe_pkey PRIMARY KEY (process_id);
ALTER TABLE ONLY receipt_poll
    ADD CONSTRAINT receipt_poll_pkey PRIMARY KEY (message_id, ordinal, segment);
ALTER TABLE ONLY receipt_process
    ADD CONSTRAINT receipt_process_pkey PRIMARY KEY (id);
ALTER TABLE ONLY recovery_code
    ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (person_id, code_hash);
ALTER TABLE ONLY refused_request
    ADD CONSTRAINT refused_request_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY report
    ADD CONSTRAINT report_pkey PRIMARY KEY (message_id, id);
ALTER TABLE ONLY request_bucket
    ADD CONSTRAINT request_bucket_pkey PRIMARY KEY (client_id);
ALTER TABLE ONLY request_count
    ADD CONSTRAINT request_count_pkey PRIMARY KEY (workspace_id, hour, method, route, status, code);
ALTER TABLE ONLY resent_message
    ADD CONSTRAINT resent_message_pkey PRIMARY KEY (message_id);
ALTER TABLE ONLY resent_message
    ADD CONSTRAINT resent_message_resent_as_key UNIQUE (resent_as);
ALTER TABLE ONLY route
    ADD CONSTRAINT route_pkey PRIMARY KEY (id);
ALTER TABLE ONLY schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (number);
ALTER TABLE ONLY sealed_text
    ADD CONSTRAINT sealed_text_pkey PRIMARY KEY (message_id);
ALTER TABLE ONLY service
    ADD CONSTRAINT service_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY session
    ADD CONSTRAINT session_pkey PRIMARY KEY (id);
ALTER TABLE ONLY session
    ADD CONSTRAINT session_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY smpp_carrier
    ADD CONSTRAINT smpp_carrier_pkey PRIMARY KEY (carrier_id);
ALTER TABLE ONLY submission
    ADD CONSTRAINT submission_pkey PRIMARY KEY (message_id, ordinal, segment);
ALTER TABLE ONLY template
    ADD CONSTRAINT template_pkey PRIMARY KEY (id);
ALTER TABLE ONLY unmatched_hour
    ADD CONSTRAINT unmatched_hour_pkey PRIMARY KEY (carrier_id, hour);
ALTER TABLE ONLY unmatched_receipt
    ADD CONSTRAINT unmatched_receipt_pkey PRIMARY KEY (carrier_id, id);
ALTER TABLE ONLY usage_day
    ADD CONSTRAINT usage_day_pkey PRIMARY KEY (client_id, day, type);
ALTER TABLE ONLY verified_number
    ADD CONSTRAINT verified_number_pkey PRIMARY KEY (workspace_id, to_number);
ALTER TABLE ONLY webhook_event
    ADD CONSTRAINT webhook_event_pkey PRIMARY KEY (delivery_id);
ALTER TABLE ONLY webhook_queue
    ADD CONSTRAINT webhook_queue_pkey PRIMARY KEY (delivery_id);
ALTER TABLE ONLY window_hit
    ADD CONSTRAINT window_hit_pkey PRIMARY KEY (scope, at, id);
ALTER TABLE ONLY workspace
    ADD CONSTRAINT workspace_pkey PRIMARY KEY (id);
ALTER TABLE ONLY workspace_start
    ADD CONSTRAINT workspace_start_pkey PRIMARY KEY (workspace_id);
ALTER TABLE ONLY wrong_sign_in
    ADD CONSTRAINT wrong_sign_in_pkey PRIMARY KEY (about);
CREATE INDEX audit_entry_workspace ON audit_entry USING btree (workspace_id, id);
CREATE INDEX carrier_capture_carrier ON carrier_capture USING btree (carrier_id, id);
CREATE INDEX carrier_capture_end ON carrier_capture USING btree (ends_at);
CREATE INDEX carrier_cost_day_workspace ON carrier_cost_day USING btree (workspace_id, day);
CREATE INDEX carrier_figure_slot ON carrier_figure USING btree (slot);
CREATE INDEX carrier_test_bind_holder ON carrier_test_bind USING btree (holder) WHERE (begun_at IS NULL);
CREATE INDEX carrier_test_carrier ON carrier_test USING btree (carrier_id, id);
CREATE INDEX carrier_test_reference ON carrier_test USING btree (carrier_id, reference) WHERE (reference IS NOT NULL);
CREATE INDEX challenge_end ON challenge USING btree (expires_at);
CREATE INDEX challenge_place ON challenge USING btree (place, id);
CREATE INDEX client_listening ON client USING btree (listening_until) WHERE (listening_until IS NOT NULL);
CREATE INDEX client_workspace ON client USING btree (workspace_id, id);
CREATE INDEX delivery_queue_otp ON delivery_queue USING btree (message_id) WHERE ((priority)::smallint = 0);
CREATE INDEX delivery_queue_turn ON delivery_queue USING btree (destination, avoid_carrier_id, priority, workspace_id, client_id, due_at);
CREATE INDEX email_link_email ON email_link USING btree (email, created_at);
CREATE INDEX email_link_end ON email_link USING btree (expires_at);
CREATE UNIQUE INDEX email_link_open ON email_link USING btree (person_id) WHERE is_open;
CREATE INDEX email_link_person ON email_link USING btree (person_id, created_at);
CREATE INDEX idempotent_answer_age ON idempotent_answer USING btree (answered_at);
CREATE INDEX inbound_message_client ON inbound_message USING btree (client_id, id);
CREATE INDEX inbound_message_workspace ON inbound_message USING btree (workspace_id, id);
CREATE INDEX inbound_part_age ON inbound_part USING btree (received_at);
CREATE INDEX inbound_seen_age ON inbound_seen USING btree (seen_at);
CREATE INDEX invitation_email ON invitation USING btree (email) WHERE (email IS NOT NULL);
CREATE INDEX invitation_end ON invitation USING btree (expires_at);
CREATE INDEX invitation_operator ON invitation USING btree (id) WHERE (kind = 'operator'::text);
CREATE INDEX invitation_person ON invitation USING btree (person_id, id) WHERE (person_id IS NOT NULL);
CREATE INDEX invitation_workspace ON invitation USING btree (workspace_id, id) WHERE (workspace_id IS NOT NULL);
CREATE UNIQUE INDEX ledger_entry_message ON ledger_entry USING btree (message_id, kind) WHERE (message_id IS NOT NULL);
CREATE UNIQUE INDEX ledger_entry_period ON ledger_entry USING btree (workspace_id, period, kind) WHERE (((kind)::text = ANY (ARRAY['grant'::text, 'expiry'::text])) AND (message_id IS NULL));
CREATE INDEX ledger_entry_rare ON ledger_entry USING btree (workspace_id, kind, id) WHERE ((kind)::text <> 'reservation'::text);
CREATE INDEX listening_event_created ON listening_event USING btree (created_at);
CREATE UNIQUE INDEX listening_event_once ON listening_event USING btree (message_id, webhook_status) WHERE (message_id IS NOT NULL);
CREATE INDEX listening_event_waiting ON listening_event USING btree (client_id, "position") WHERE (NOT told);
CREATE INDEX membership_workspace ON membership USING btree (workspace_id, person_id);
CREATE INDEX message_number ON message USING btree (to_number, id);
CREATE INDEX message_quarter_age ON message_quarter USING btree (quarter);
CREATE INDEX message_rare ON message USING btree (workspace_id, rare_status, id) WHERE (rare_status IS NOT NULL);
CREATE INDEX message_test ON message USING btree (id) WHERE (rare_status = 'test'::text);
CREATE INDEX message_workspace ON message USING btree (workspace_id, id);
CREATE INDEX orphan_report_look ON orphan_report USING btree (look_at);
CREATE INDEX orphan_report_number ON orphan_report USING btree (carrier_id, to_number);
CREATE INDEX orphan_report_reference ON orphan_report USING btree (carrier_id, reference);
CREATE INDEX otp_code_expiry ON otp_code USING btree (expires_at);
CREATE INDEX otp_day_age ON otp_day USING btree (day);
CREATE INDEX otp_day_whole ON otp_day USING btree (workspace_id, day) WHERE (operator_prefix = ''::text);
CREATE INDEX otp_hour_age ON otp_hour USING btree (hour);
CREATE INDEX otp_send_stat_age ON otp_send_stat USING btree (sent_at);
CREATE INDEX otp_send_stat_block ON otp_send_stat USING btree (client_id, block, sent_at);
CREATE INDEX otp_send_stat_client ON otp_send_stat USING btree (client_id, sent_at);
CREATE INDEX otp_send_stat_prefix ON otp_send_stat USING btree (client_id, operator_prefix, sent_at);
CREATE INDEX owner_token_person ON owner_token USING btree (person_id) WHERE (person_id IS NOT NULL);
CREATE INDEX owner_token_workspace ON owner_token USING btree (workspace_id, id);
CREATE INDEX passkey_person ON passkey USING btree (person_id, id);
CREATE INDEX person_operator ON person USING btree (id) WHERE is_operator;
CREATE INDEX pumping_finding_age ON pumping_finding USING btree (struck_at);
CREATE INDEX pumping_finding_workspace ON pumping_finding USING btree (workspace_id, id);
CREATE INDEX pumping_hold_age ON pumping_hold USING btree (struck_at);
CREATE INDEX receipt_poll_due ON receipt_poll USING btree (carrier_id, asked, due_at);
CREATE INDEX receipt_poll_end ON receipt_poll USING btree (ends_at);
CREATE INDEX refused_request_age ON refused_request USING btree (at);
CREATE INDEX request_count_age ON request_count USING btree (hour);
CREATE INDEX sealed_text_expiry ON sealed_text USING btree (expires_at);
CREATE INDEX session_end ON session USING btree (ends_at);
CREATE INDEX session_person ON session USING btree (person_id, id);
CREATE INDEX submission_reference ON submission USING btree (carrier_id, reference) WHERE (reference IS NOT NULL);
CREATE INDEX submission_unknown ON submission USING btree (claimed_at) WHERE ((outcome)::text = 'unknown'::text);
CREATE INDEX template_status ON template USING btree (status, id);
CREATE INDEX template_workspace ON template USING btree (workspace_id, id);
CREATE INDEX usage_day_workspace ON usage_day USING btree (workspace_id, day);
CREATE INDEX verified_number_age ON verified_number USING btree (verified_at);
CREATE INDEX webhook_event_client ON webhook_event USING btree (client_id, delivery_id);
CREATE INDEX webhook_event_dead ON webhook_event USING btree (client_id, delivery_id) WHERE (dead_because IS NOT NULL);
CREATE UNIQUE INDEX webhook_event_once ON webhook_event USING btree (message_id, webhook_status) WHERE (message_id IS NOT NULL);
CREATE INDEX webhook_queue_due ON webhook_queue USING btree (retry, workspace_id, client_id, due_at);
CREATE INDEX window_hit_age ON window_hit USING btree (at);
CREATE INDEX workspace_period_end ON workspace USING btree (period_ends_at);
CREATE INDEX wrong_sign_in_last ON wrong_sign_in USING btree (last_at);
CREATE TRIGGER audit_entry_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entry_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE ONLY audit_entry
    ADD CONSTRAINT audit_entry_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id);
ALTER TABLE ONLY captured_frame
    ADD CONSTRAINT captured_frame_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES carrier_capture(id) ON DELETE CASCADE;
ALTER TABLE ONLY carrier_bind
    ADD CONSTRAINT carrier_bind_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE;
ALTER TABLE ONLY carrier_capture
    ADD CONSTRAINT carrier_capture_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE;
ALTER TABLE ONLY carrier_figure
    ADD CONSTRAINT carrier_figure_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE;
ALTER TABLE ONLY carrier_price_list
    ADD CONSTRAINT carrier_price_list_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE;
ALTER TABLE ONLY carrier_test_bind
    ADD CONSTRAINT carrier_test_bind_test_id_fkey FOREIGN KEY (test_id) REFERENCES carrier_test(id) ON DELETE CASCADE;
ALTER TABLE ONLY carrier_test
    ADD CONSTRAINT carrier_test_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE;
ALTER TABLE ONLY client
    ADD CONSTRAINT client_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id);
ALTER TABLE ONLY email_link
    ADD CONSTRAINT email_link_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id);
ALTER TABLE ONLY http_carrier
    ADD CONSTRAINT http_carrier_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE;
ALTER TABLE ONLY invitation
    ADD CONSTRAINT invitation_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id);
ALTER TABLE ONLY invitation
    ADD CONSTRAINT invitation_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id);
ALTER TABLE ONLY membership
    ADD CONSTRAINT membership_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id);
ALTER TABLE ONLY membership
    ADD CONSTRAINT membership_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id);
ALTER TABLE ONLY owner_token
    ADD CONSTRAINT owner_token_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id);
ALTER TABLE ONLY owner_token
    ADD CONSTRAINT owner_token_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id);
ALTER TABLE ONLY passkey
    ADD CONSTRAINT passkey_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id);
ALTER TABLE ONLY recovery_code
    ADD CONSTRAINT recovery_code_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id);
ALTER TABLE ONLY route
    ADD CONSTRAINT route_carrier FOREIGN KEY (carrier_id) REFERENCES carrier(id);
ALTER TABLE ONLY session
    ADD CONSTRAINT session_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id);
ALTER TABLE ONLY smpp_carrier
    ADD CONSTRAINT smpp_carrier_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE;
ALTER TABLE ONLY template
    ADD CONSTRAINT template_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id);
ALTER TABLE ONLY unmatched_hour
    ADD CONSTRAINT unmatched_hour_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE;
ALTER TABLE ONLY unmatched_receipt
    ADD CONSTRAINT unmatched_receipt_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE;
ALTER TABLE ONLY workspace_start
    ADD CONSTRAINT workspace_start_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id);

insert into schema_migration (number, name, checksum, applied_at) values
  (1, '0001_house.sql', 'cdcb90e5e881ac0bec98a83a3eb2c43fc76d87f6853f2fb6ed3e8568ce5af040', '2026-11-17T00:00:00Z'),
  (2, '0002_messages.sql', 'c35c07a31bbb4105ec0a76103cde6dc2ba3d29dc37f84ff7c8f0946353e92868', '2026-11-17T00:00:00Z'),
  (3, '0003_webhooks.sql', 'ccb96d38278ac2195944e2699f37a5f0b62bb3fb21ac86b083b0a43c2c000961', '2026-11-17T00:00:00Z'),
  (4, '0004_delivery.sql', '770da586c9f6e944c5bf5db2a902ec74f49d14a6ef5771d65665f106500feee8', '2026-11-17T00:00:00Z'),
  (5, '0005_reservations.sql', 'afc99960564dcfac1eb72646f009f359c1360f8b2bcf509a5fbf5bef245daab2', '2026-11-17T00:00:00Z'),
  (6, '0006_replies.sql', '96a5b119a4f8b5191e92c756330fb9b6a5094184083ec292a2c94ef146c53b0c', '2026-11-17T00:00:00Z'),
  (7, '0007_statistics.sql', '3f1841ad961244ad2b8e7b8b65be096e275e3c25a50243aa0fad6fb81c5b9902', '2026-11-17T00:00:00Z'),
  (8, '0008_domains.sql', '4c269f9743c74f2ed21f6c6b3d29043be2e709d801f738b59a9357500d6974f7', '2026-11-17T00:00:00Z'),
  (9, '0009_pumping_allowlist.sql', 'ea0bdc3d41251407f7ad7bf417edf7c2a8b377218e1c143219d28f8fe33be8a6', '2026-11-17T00:00:00Z'),
  (10, '0010_simulator_account.sql', '312f945d6718c2c1a50f4fd16c852726d2a4df3ed55d4e45951fa26d859ce7bc', '2026-11-17T00:00:00Z'),
  (11, '0011_cut_characters.sql', '53ceea0b4bc73918d8e3a4e2cfbc0e39b8e5ccea88c70f4801a63572e674798c', '2026-11-17T00:00:00Z'),
  (12, '0012_neighbours.sql', '4edfb44d3e545e66569ec45facfb6fa6e3e8400a420fd0d698256d11e293b192', '2026-11-17T00:00:00Z'),
  (13, '0013_guards.sql', '65e885e66c2be72b46d0abe5fc9245f79cd563672447a01f1bc21f48e0e637d0', '2026-11-17T00:00:00Z'),
  (14, '0014_wire.sql', 'f76fc79563ee069e9e337d3a5f64be8657f39794ad83f658e818fdad815002a6', '2026-11-17T00:00:00Z'),
  (15, '0015_otp_callers.sql', 'd595a5f7dd1aef03c4b3841fc7324797eb85ce46ea8cecc19ef5253acfb29490', '2026-11-17T00:00:00Z'),
  (16, '0016_receipts_by_text.sql', 'e389cd5529d32233dee87d64b69c38192e5fabdcd342e5cfeec7d887ab26096b', '2026-11-17T00:00:00Z'),
  (17, '0017_availability.sql', '4766b0573f9528204645240721a2abc662b15559b337b930cef352d13c02df54', '2026-11-17T00:00:00Z'),
  (18, '0018_carriers.sql', '0fd645a5a2234065cac7e1054773f445ff0c983e742e73534c5ce99cc3327b30', '2026-11-17T00:00:00Z'),
  (19, '0019_engine.sql', 'dd6439914e04056e3673f1f907e92f8aa2b3992bb210b82a59fa81348d57562d', '2026-11-17T00:00:00Z'),
  (21, '0021_people.sql', '7d237392307e2f4f91013e733ad54db353da78f935940139cf17050ebf910462', '2026-11-17T00:00:00Z'),
  (22, '0022_second_factors.sql', '7be9b90d3c1251c798ad6741221fbed856f928a62d1c1883486035949c0f5293', '2026-11-17T00:00:00Z'),
  (23, '0023_console.sql', '87e301c51720b0dfd087b12a28e3b8e264b84547919a814b7c5615b476cb945e', '2026-11-17T00:00:00Z'),
  (24, '0024_codes_and_usage.sql', '7261ab7fcf1c9a832f1e2d70f542367f50050011d87b298c63894a7581151ee7', '2026-11-17T00:00:00Z'),
  (25, '0025_now.sql', 'ce3a89d3a7143ead1cd33632bbca4ed663655e47d60ecf7796866ef225218386', '2026-11-17T00:00:00Z'),
  (26, '0026_rare_entries.sql', 'b5f74630faaea61fb0542eac1495595db795e08848f867fd372d45170c9c16e4', '2026-11-17T00:00:00Z'),
  (27, '0027_listening.sql', 'a6207215d5e5285d56779caa71723efad2d063c8c4bc47305023d8d56b9d4d4e', '2026-11-17T00:00:00Z'),
  (28, '0028_http_carriers.sql', '8fd3336096d6ea9ed3c4e324e4b3ce7bd92cfcf5a0faa821d2e0bc919c146c9f', '2026-11-17T00:00:00Z'),
  (29, '0029_carrier_callbacks.sql', '585843d2cf93d31ace6320fb6b363c893acc8c9422014440a6c027291cc441fd', '2026-11-17T00:00:00Z'),
  (31, '0031_smpp_settings.sql', 'bcbd51472e08ad80cc0ff2f2cad0b483990b99c8dd47a68e19f59b5797e1fd03', '2026-11-17T00:00:00Z'),
  (32, '0032_receipts_and_templates.sql', '33148e436534db79248596e02ee698521cde50faed65a41834d235ea832942a3', '2026-11-17T00:00:00Z'),
  (33, '0033_message_acts.sql', 'fc50951aaf6486605f8b47d09f636523358ea9cabc0bb4bfeb3e4b4c8ed621d2', '2026-11-17T00:00:00Z'),
  (34, '0034_prices.sql', '8ce3720166ad565cfe6cf613b435a11735f75040a8de4c7c0708fe0026d834f8', '2026-11-17T00:00:00Z'),
  (35, '0035_policies.sql', '78cf25a3a040f3ba0355541d698e3c2f3c1d47c0583135f89f4da55eae7c1a41', '2026-11-17T00:00:00Z'),
  (36, '0036_carrier_captures.sql', '2f6c0fcf32b8b5a343b61e6c1c95a0a196335dbc775c255d8c2e29c6deda1f7c', '2026-11-17T00:00:00Z'),
  (37, '0037_receipt_polls.sql', '27156ace8e165602b426c5b83f9b138155cb138960ddb5b323b2c08e0c69df39', '2026-11-17T00:00:00Z'),
  (39, '0039_receipts_by_callback.sql', '812332eedbe2b8e7aa5ca360ba08699f3e8af735dd8f918a62007c74b8bdc65c', '2026-11-17T00:00:00Z'),
  (40, '0040_http_captures.sql', 'bd9443b050ac991709904c388d603fb7d8fc01c5f7ca9ce6cf36fdc3603aa45f', '2026-11-17T00:00:00Z'),
  (41, '0041_lost_receipts.sql', 'f6d0e694db9e55535e0e1bfa08cffebd939eab7ac5cb9b46897c78fe654783fa', '2026-11-17T00:00:00Z'),
  (42, '0042_orphans_by_number_online.sql', '83d1abc23a7e035606ec3ee4404e53ff71a1e8ac5f3749c845fae2d4ad2b7715', '2026-11-17T00:00:00Z'),
  (43, '0043_submissions_in_doubt_online.sql', 'f73f3ed6c2cb584d2d2c325662f4d1ccdb23393ef176ad1213a236435da2414f', '2026-11-17T00:00:00Z'),
  (45, '0045_token_owners_online.sql', '2706e0afee9d2a339b84a4ba27bb3e77fb19d511de565dd851a05dba3da4780a', '2026-11-17T00:00:00Z'),
  (46, '0046_challenge_places_online.sql', 'b80b199dc8f3674b7e4b483f01eab22deed6145f417756e271e6619e3df3e644', '2026-11-17T00:00:00Z'),
  (50, '0050_carrier_findings_online.sql', 'd81b7a6e398965f585934c4fdddb3135466fc487020d5b44276fca7592dd1e33', '2026-11-17T00:00:00Z'),
  (51, '0051_routing_revision_online.sql', '13e10f2867e54d2125b614219603efbe0b9b985910c9cdcfaada48114ca4bc7b', '2026-11-17T00:00:00Z'),
  (52, '0052_email_links_online.sql', '5e2cc1df6728bf6c7479e207b2ab2ad89ffbdb558fc894a2a03093c76b0ee060', '2026-11-17T00:00:00Z'),
  (53, '0053_carrier_kinds.sql', 'f643f638b3bf564fae6337e62ee8dd68c7437770e32eb1e20aeb8b1ccaeb408c', '2026-11-17T00:00:00Z'),
  (54, '0054_one_message_per_call.sql', '85ca2959a296685f791f3f90d78585114ffb225581a353671214f61b62d9d770', '2026-11-17T00:00:00Z');

insert into service (sms_enabled, demo_made_at, routing_revision) values (true, '2026-11-17T00:00:00Z', 7);
insert into country (code, name, state, time_zone, quiet_from, quiet_to, policy) values ('NP', 'Nepal', 'live', 'Asia/Kathmandu', '20:00', '08:00', 'cheapest');
insert into deadline_mark (kind, swept_to, swept_at) values ('otp', '00000000-0000-0000-0000-000000000001', '2026-11-17T00:00:00Z'), ('other', '00000000-0000-0000-0000-000000000002', '2026-11-17T00:00:00Z');
insert into workspace (id, name, country, currency, time_zone, plan, status, monthly_credit_e4, transactional_price_e4, otp_price_e4, promotional_price_e4, allowed_types, templates_required, balance_e4, period, period_ends_at, last_entry_id, created_at, updated_at)
values ('00000000-0000-7000-8000-000000000001', 'Shop', 'NP', 'NPR', 'Asia/Kathmandu', 'standard', 'active', 1000, 100, 100, 100, '{otp,transactional}', false, 9000, '2026-11-01', '2026-12-01', '00000000-0000-7000-8000-000000000003', '2026-11-01', '2026-11-01');
insert into ledger_entry (workspace_id, id, period, kind, amount_e4, balance_e4, messages, at)
values ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', '2026-11-01', 'grant', 10000, 10000, null, '2026-11-01'),
  ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000003', '2026-11-01', 'reservation', 1000, 9000, 8, '2026-11-17');
insert into client (id, workspace_id, name, brand_name, mode, default_sender, requests_per_second, api_key_hash, api_key_prefix, webhook_secret_sealed, webhook_url, created_at, updated_at)
values ('00000000-0000-7000-8000-000000000010', '00000000-0000-7000-8000-000000000001', 'Web shop', 'Shop', 'live', 'Shop', 20, sha256('key'), 'svc_', '\x01', 'https://shop.example/hook', '2026-11-01', '2026-11-01');
insert into client_counter (client_id, part, sent, delivered, failed)
values ('00000000-0000-7000-8000-000000000010', 0, 5, 0, 1), ('00000000-0000-7000-8000-000000000010', 1, 0, 4, 0);
insert into message (id, workspace_id, client_id, to_number, country, sender, text, type, encoding, segments, cost_e4, status, reservation_id, submissions, created_at, updated_at)
select ('00000000-0000-7000-8000-00000000010' || n)::uuid, '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000010', '+977984100000' || n, 'NP', 'Shop', 'Hello ' || n, 'transactional', 'GSM7', 1, 125, 'sent', '00000000-0000-7000-8000-000000000003', 1, '2026-11-17', '2026-11-17'
from generate_series(1, 8) n;
insert into message_quarter (workspace_id, quarter, part, accepted, delivered, undelivered, failed)
values ('00000000-0000-7000-8000-000000000001', '2026-11-17T00:00:00Z', 3, 8, 0, 0, 0), ('00000000-0000-7000-8000-000000000001', '2026-11-17T00:00:00Z', 1, 0, 4, 0, 0);
insert into carrier (id, name, kind, binds, window_size, answer_seconds, resend_unknown, enabled, secrets_sealed, created_at, updated_at)
values ('00000000-0000-7000-8000-000000000020', 'Over SMPP', 'smpp', 1, 10, 30, false, true, '\x0102', '2026-11-01', '2026-11-01'),
  ('00000000-0000-7000-8000-000000000021', 'Over HTTP', 'http', 1, 10, 30, false, true, '\x0304', '2026-11-01', '2026-11-01'),
  ('00000000-0000-7000-8000-000000000022', 'Without overrides', 'smpp', 1, 10, 30, false, true, '\x0506', '2026-11-01', '2026-11-01');
insert into smpp_carrier (carrier_id, settings)
values ('00000000-0000-7000-8000-000000000020', '{"host": "smsc.example", "port": 2775, "systemId": "shop", "statusOverrides": {"answers": {"8": {"outcome": "refused", "error": "invalid_number"}, "1025": {"outcome": "slow"}, "1026": {"outcome": "elsewhere"}, "1027": {"outcome": "retry_twice"}, "1028": {"outcome": "taken"}}, "reports": {"refused": {"error": "carrier_rejected"}}, "states": {}}}'),
  ('00000000-0000-7000-8000-000000000022', '{"host": "taken.example", "port": 2775, "systemId": "slow"}');
insert into http_carrier (carrier_id, description, secret_names, callback_hash)
values ('00000000-0000-7000-8000-000000000021', '{"url": "https://api.example/slow", "method": "POST", "body": {"kind": "json", "value": {"outcome": "taken", "text": "{text}"}}, "answer": {"id": "/id", "said": "\"outcome\": \"taken\"", "rules": [{"at": "/code", "is": ["refused", "slow"], "outcome": "taken"}, {"at": "/code", "table": {"5": {"outcome": "refused", "error": "invalid_number"}, "6": {"outcome": "slow"}, "outcome": {"outcome": "retry_twice"}}}, {"status": [503], "outcome": "elsewhere"}, {"status": [500], "outcome": "unknown"}]}, "receipts": null}', '{token}', 'hash');
insert into carrier_bind (carrier_id, number, mode, holder, leased_until, state, bound_at, works, at_rate, worked_at, peer)
values ('00000000-0000-7000-8000-000000000020', 1, 'transceiver', '00000000-0000-7000-8000-000000000030', '2026-11-17', 'bound', '2026-11-17', true, true, '2026-11-17', 'smsc.example:2775');
insert into carrier_figure (carrier_id, prefix, slot, taken, refused, unanswered, delivered, undelivered, answer_ms, receipts, receipt_ms, strays, unread, denied, unreadable, shared_ids)
values ('00000000-0000-7000-8000-000000000020', '+97798', '2026-11-17', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
insert into carrier_test (id, carrier_id, asked_at, to_number, text, outcome, answered_at)
select ('00000000-0000-7000-8000-00000000040' || n)::uuid, '00000000-0000-7000-8000-000000000020', '2026-11-17', '+9779841000001', 'Test', outcome, '2026-11-17'
from unnest('{taken,refused,slow,elsewhere,retry_twice,unknown,unwritten}'::text[]) with ordinality as it (outcome, n);
insert into carrier_test_bind (test_id, number, mode, state, holder, sends, begun_at, milliseconds, answered_at, steps)
values ('00000000-0000-7000-8000-000000000401', 1, 'transceiver', 'bound', '00000000-0000-7000-8000-000000000030', true, '2026-11-17', 3, '2026-11-17',
  '[{"step": "answer", "told": "HTTP 200 {\"told\": 1}", "fault": null, "milliseconds": 3}]');
insert into carrier_capture (id, carrier_id, asked_at, ends_at)
values ('00000000-0000-7000-8000-000000000050', '00000000-0000-7000-8000-000000000021', '2026-11-17T00:00:00Z', '2026-11-17T00:01:00Z');
insert into captured_frame (capture_id, holder, nth, at, bind, outgoing, bytes, decoded, exchange, called)
values ('00000000-0000-7000-8000-000000000050', '00000000-0000-7000-8000-000000000030', 1, '2026-11-17', 1, true, '\x00', '{"outcome": "taken"}', 1, true);
insert into delivery_process (id, seen_until, taken, refused, delivered, undelivered) values ('00000000-0000-7000-8000-000000000030', '2026-11-17', 1, 2, 3, 4);
insert into receipt_process (id, seen_until, delivered, undelivered) values ('00000000-0000-7000-8000-000000000031', '2026-11-17', 5, 6);
insert into route (id, country, prefixes, carrier_id, priority, sorted, created_at) values ('00000000-0000-7000-8000-000000000060', 'NP', '{+97798}', '00000000-0000-7000-8000-000000000020', 1, true, '2026-11-01');
insert into submission (message_id, ordinal, segment, of_segments, carrier_id, to_number, outcome, error, reference, claimed_at, answered_at, sender, let_go_at, cost_e4)
select ('00000000-0000-7000-8000-00000000010' || n)::uuid, 1, 1, 1, '00000000-0000-7000-8000-000000000020', '+977984100000' || n, outcome, case outcome when 'refused' then 'carrier_rejected' else '' end,
  case outcome when 'taken' then 'ref' end, '2026-11-17', case when outcome <> 'open' then timestamptz '2026-11-17' end, 'Shop', case outcome when 'unknown' then timestamptz '2026-11-17' end, 50
from unnest('{open,taken,slow,elsewhere,unwritten,unknown,retry_twice,refused}'::text[]) with ordinality as it (outcome, n);
insert into delivery_queue (message_id, destination, avoid_carrier_id, priority, workspace_id, client_id, due_at, claims)
values ('00000000-0000-7000-8000-000000000103', 'NP+97798', '00000000-0000-0000-0000-000000000000', 1, '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000010', '2026-11-17', 1);
insert into orphan_report (id, carrier_id, reference, to_number, status, error, state, code, raw, received_at, looks, look_at, by_text)
values ('00000000-0000-7000-8000-000000000070', '00000000-0000-7000-8000-000000000020', 'early', '+9779841000001', 'delivered', '', 'DELIVRD', '000', 'raw', '2026-11-17', 2, '2026-11-18', true);
insert into unmatched_hour (carrier_id, hour, receipts) values ('00000000-0000-7000-8000-000000000020', '2026-11-17', 3);
insert into receipt_poll (message_id, ordinal, segment, carrier_id, reference, to_number, due_at, asked, said, ends_at)
values ('00000000-0000-7000-8000-000000000102', 1, 1, '00000000-0000-7000-8000-000000000021', 'ref', '+9779841000002', '2026-11-18', 4, 'ENROUTE', '2026-11-20');
insert into webhook_event (delivery_id, client_id, name, body, state, dead_because, created_at, ended_at)
select ('00000000-0000-7000-8000-00000000080' || n)::uuid, '00000000-0000-7000-8000-000000000010', 'message.inbound', '{"state":"dead"}', case when n = 1 then 'pending' when n = 2 then 'delivered' else 'dead' end, because, '2026-11-17', case when n > 1 then timestamptz '2026-11-17' end
from unnest(array[null, null, 'postings_used_up', 'refused_for_good', 'no_url', 'never_finished']) with ordinality as it (because, n);
insert into webhook_queue (delivery_id, client_id, workspace_id, due_at, postings, claims)
values ('00000000-0000-7000-8000-000000000801', '00000000-0000-7000-8000-000000000010', '00000000-0000-7000-8000-000000000001', '2026-11-17', 3, 1);
insert into posting (delivery_id, claim_id, url, posted_at, milliseconds, status_code, answer_head)
values ('00000000-0000-7000-8000-000000000802', '00000000-0000-7000-8000-000000000081', 'https://shop.example/hook', '2026-11-17', 5, 200, '\x6f6b');
insert into listening_event (client_id, delivery_id, name, body, created_at, told)
values ('00000000-0000-7000-8000-000000000010', '00000000-0000-7000-8000-000000000801', 'message.inbound', '{}', '2026-11-17', true);
insert into window_hit (scope, at, id) values ('scope', '2026-11-17', '00000000-0000-7000-8000-000000000101');
insert into otp_caller (client_id, caller, asked_at, granted) values ('00000000-0000-7000-8000-000000000010', '10.0.0.1', '{2026-11-17}', 1);
insert into otp_day (workspace_id, day, operator_prefix, stage, codes) values ('00000000-0000-7000-8000-000000000001', '2026-11-17', '', 'verified', 2);
insert into workspace_start (workspace_id, key_used_at, message_at, webhook_at) values ('00000000-0000-7000-8000-000000000001', '2026-11-01', '2026-11-02', '2026-11-03');
insert into wrong_sign_in (about, times, last_at) values (sha256('someone'), 3, '2026-11-17');
insert into challenge (id, kind, details, expires_at, place) values ('00000000-0000-7000-8000-000000000090', 'oidc', '{}', '2026-11-18', 'network');
insert into invitation (id, secret_hash, kind, email, workspace_id, role, is_mailed, made_by, created_at, expires_at)
values ('00000000-0000-7000-8000-000000000091', sha256('link'), 'member', 'sita@example.com', '00000000-0000-7000-8000-000000000001', 'viewer', false, 'operator', '2026-11-17', '2026-11-18');
insert into audit_entry (id, workspace_id, actor, action, subject, details, at)
values ('00000000-0000-7000-8000-000000000092', '00000000-0000-7000-8000-000000000001', 'operator', 'carrier.changed', 'x', '{"outcome": "taken"}', '2026-11-17');
