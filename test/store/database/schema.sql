domain amount_e4 bigint amount_e4_check CHECK (((VALUE >= 0) AND (VALUE <= '9000000000000000'::bigint)))
domain charge_e4 bigint charge_e4_check CHECK ((VALUE > 0))
domain client_count integer client_count_check CHECK (((VALUE >= 0) AND (VALUE <= 1000)))
domain country_code text country_code_check CHECK ((VALUE ~ '^[A-Z]{2}$'::text))
domain currency_code text currency_code_check CHECK ((VALUE ~ '^[A-Z]{3}$'::text))
domain delivery_priority smallint delivery_priority_check CHECK (((VALUE >= 0) AND (VALUE <= 2)))
domain email_address text email_address_check CHECK (((length(VALUE) <= 254) AND (VALUE ~ '^[^\s@]+@[^\s@]+$'::text) AND (VALUE = lower(VALUE))))
domain event_failure_reason text event_failure_reason_check CHECK ((VALUE = ANY (ARRAY['retries_exhausted'::text, 'rejected'::text, 'no_url'::text, 'abandoned'::text])))
domain event_name text event_name_check CHECK ((VALUE = ANY (ARRAY['message.status'::text, 'message.inbound'::text, 'workspace.low_credit'::text]))) NOT VALID
domain event_state text event_state_check CHECK ((VALUE = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
domain event_status text event_status_check CHECK ((VALUE = ANY (ARRAY['queued'::text, 'sent'::text, 'delivered'::text, 'undelivered'::text, 'failed'::text])))
domain ledger_kind text ledger_kind_check CHECK ((VALUE = ANY (ARRAY['grant'::text, 'topUp'::text, 'reservation'::text, 'refund'::text, 'expiry'::text])))
domain message_error text message_error_check CHECK ((VALUE = ANY (ARRAY[''::text, 'network_unavailable'::text, 'delivery_timeout'::text, 'carrier_rejected'::text, 'invalid_number'::text, 'delivery_failed'::text])))
domain message_status text message_status_check CHECK ((VALUE = ANY (ARRAY['queued'::text, 'submitting'::text, 'submitted'::text, 'sent'::text, 'delivered'::text, 'undelivered'::text, 'failed'::text, 'rejected'::text, 'test'::text])))
domain message_type text message_type_check CHECK ((VALUE = ANY (ARRAY['transactional'::text, 'otp'::text, 'promotional'::text])))
domain message_types text[] message_types_check CHECK ((VALUE <@ ARRAY['transactional'::text, 'otp'::text, 'promotional'::text]))
domain otp_stage text otp_stage_check CHECK ((VALUE = ANY (ARRAY['sent'::text, 'delivered'::text, 'verified'::text])))
domain price_e4 bigint price_e4_check CHECK (((VALUE >= 0) AND (VALUE <= '1000000000000'::bigint)))
domain receipt_rule text receipt_rule_check CHECK ((VALUE = ANY (ARRAY['one'::text, 'none'::text])))
domain secret_hash bytea secret_hash_check CHECK ((length(VALUE) = 32))
domain segment_count smallint segment_count_check CHECK (((VALUE >= 1) AND (VALUE <= 6)))
domain sender_address text sender_address_check CHECK ((VALUE ~ '^[ -~]{1,20}$'::text))
domain submission_ordinal integer submission_ordinal_check CHECK ((VALUE >= 1))
domain submission_outcome text submission_outcome_check CHECK ((VALUE = ANY (ARRAY['accepted'::text, 'throttled'::text, 'other_carrier'::text, 'unwritten'::text, 'unknown'::text, 'retryable'::text, 'rejected'::text]))) NOT VALID
domain text_encoding text text_encoding_check CHECK ((VALUE = ANY (ARRAY['GSM7'::text, 'UCS2'::text])))
domain title text title_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 100)))
domain workspace_plan text workspace_plan_check CHECK ((VALUE = ANY (ARRAY['standard'::text, 'enterprise'::text])))
domain workspace_role text workspace_role_check CHECK ((VALUE = ANY (ARRAY['owner'::text, 'developer'::text, 'viewer'::text])))
domain workspace_status text workspace_status_check CHECK ((VALUE = ANY (ARRAY['pending'::text, 'active'::text, 'suspended'::text])))
table audit_entry partition by RANGE (id)
column audit_entry.action text not null
column audit_entry.actor text not null
column audit_entry.address text
column audit_entry.at timestamp with time zone not null
column audit_entry.details jsonb not null
column audit_entry.id uuid not null
column audit_entry.request_id text
column audit_entry.subject text not null
column audit_entry.workspace_id uuid
constraint audit_entry.audit_entry_pkey PRIMARY KEY (id)
constraint audit_entry.audit_entry_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE INDEX audit_entry_workspace ON ONLY public.audit_entry USING btree (workspace_id, id)
index CREATE UNIQUE INDEX audit_entry_pkey ON ONLY public.audit_entry USING btree (id)
CREATE TRIGGER audit_entry_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION reject_change()
table captured_frame
column captured_frame.at timestamp with time zone not null
column captured_frame.bind smallint not null
column captured_frame.bytes bytea not null
column captured_frame.capture_id uuid not null
column captured_frame.decoded jsonb not null
column captured_frame.exchange integer
column captured_frame.is_callback boolean not null default false
column captured_frame.outgoing boolean not null
column captured_frame.process_id uuid not null
column captured_frame.sequence integer not null
constraint captured_frame.captured_frame_capture_id_fkey FOREIGN KEY (capture_id) REFERENCES carrier_capture(id) ON DELETE CASCADE
constraint captured_frame.captured_frame_pkey PRIMARY KEY (capture_id, process_id, sequence)
index CREATE UNIQUE INDEX captured_frame_pkey ON public.captured_frame USING btree (capture_id, process_id, sequence)
table carrier
column carrier.answer_seconds smallint not null
column carrier.binds smallint not null
column carrier.break_after_refused smallint
column carrier.break_after_unanswered smallint
column carrier.created_at timestamp with time zone not null
column carrier.default_sender text
column carrier.enabled boolean not null
column carrier.id uuid not null
column carrier.kind text not null
column carrier.name text not null
column carrier.resend_unknown boolean not null
column carrier.secrets_sealed bytea not null
column carrier.segments_per_second integer
column carrier.updated_at timestamp with time zone not null
column carrier.window_size smallint not null
constraint carrier.carrier_answer_seconds_check CHECK (((answer_seconds >= 1) AND (answer_seconds <= 300)))
constraint carrier.carrier_binds_check CHECK (((binds >= 1) AND (binds <= 50)))
constraint carrier.carrier_break_after_refused_check CHECK (((break_after_refused >= 1) AND (break_after_refused <= 1000)))
constraint carrier.carrier_break_after_unanswered_check CHECK (((break_after_unanswered >= 1) AND (break_after_unanswered <= 1000)))
constraint carrier.carrier_default_sender_check CHECK (((length(default_sender) >= 1) AND (length(default_sender) <= 15)))
constraint carrier.carrier_kind_check CHECK ((kind = ANY (ARRAY['smpp'::text, 'http'::text])))
constraint carrier.carrier_name UNIQUE (name)
constraint carrier.carrier_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
constraint carrier.carrier_pkey PRIMARY KEY (id)
constraint carrier.carrier_segments_per_second_check CHECK (((segments_per_second >= 1) AND (segments_per_second <= 100000)))
constraint carrier.carrier_window_size_check CHECK (((window_size >= 1) AND (window_size <= 1000)))
index CREATE UNIQUE INDEX carrier_name ON public.carrier USING btree (name)
index CREATE UNIQUE INDEX carrier_pkey ON public.carrier USING btree (id)
table carrier_bind with (fillfactor=50)
column carrier_bind.bound_at timestamp with time zone
column carrier_bind.broken_reason text
column carrier_bind.carrier_id uuid not null
column carrier_bind.health_since timestamp with time zone
column carrier_bind.in_flight integer not null default 0
column carrier_bind.is_at_rate_limit boolean not null default false
column carrier_bind.is_working boolean not null default false
column carrier_bind.last_error text
column carrier_bind.last_error_at timestamp with time zone
column carrier_bind.last_working_at timestamp with time zone not null
column carrier_bind.leased_until timestamp with time zone
column carrier_bind.mode text not null
column carrier_bind.number smallint not null
column carrier_bind.peer text
column carrier_bind.process_id uuid
column carrier_bind.retry_at timestamp with time zone
column carrier_bind.segments_per_second real not null default 0
column carrier_bind.state text not null default 'idle'::text
constraint carrier_bind.carrier_bind_bound CHECK (((state = 'bound'::text) = (bound_at IS NOT NULL)))
constraint carrier_bind.carrier_bind_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE
constraint carrier_bind.carrier_bind_idle CHECK (((process_id IS NOT NULL) OR (state = 'idle'::text)))
constraint carrier_bind.carrier_bind_last_error CHECK (((last_error IS NULL) = (last_error_at IS NULL)))
constraint carrier_bind.carrier_bind_lease CHECK (((process_id IS NULL) = (leased_until IS NULL)))
constraint carrier_bind.carrier_bind_mode_check CHECK ((mode = ANY (ARRAY['transceiver'::text, 'transmitter'::text, 'receiver'::text])))
constraint carrier_bind.carrier_bind_number_check CHECK ((number >= 1))
constraint carrier_bind.carrier_bind_pkey PRIMARY KEY (carrier_id, number)
constraint carrier_bind.carrier_bind_state_check CHECK ((state = ANY (ARRAY['idle'::text, 'connecting'::text, 'bound'::text, 'waiting'::text])))
constraint carrier_bind.carrier_bind_working CHECK (((NOT is_working) OR ((state = 'bound'::text) AND (broken_reason IS NULL))))
index CREATE UNIQUE INDEX carrier_bind_pkey ON public.carrier_bind USING btree (carrier_id, number)
table carrier_capture
column carrier_capture.carrier_id uuid not null
column carrier_capture.ends_at timestamp with time zone not null
column carrier_capture.id uuid not null
column carrier_capture.started_at timestamp with time zone not null
constraint carrier_capture.carrier_capture_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE
constraint carrier_capture.carrier_capture_period CHECK ((ends_at > started_at))
constraint carrier_capture.carrier_capture_pkey PRIMARY KEY (id)
index CREATE INDEX carrier_capture_carrier ON public.carrier_capture USING btree (carrier_id, id)
index CREATE INDEX carrier_capture_end ON public.carrier_capture USING btree (ends_at)
index CREATE UNIQUE INDEX carrier_capture_pkey ON public.carrier_capture USING btree (id)
table carrier_cost_day with (fillfactor=50)
column carrier_cost_day.client_id uuid not null
column carrier_cost_day.cost_e4 bigint not null
column carrier_cost_day.country text not null default ''::text
column carrier_cost_day.day date not null
column carrier_cost_day.segments bigint not null
column carrier_cost_day.type text not null
column carrier_cost_day.workspace_id uuid not null
constraint carrier_cost_day.carrier_cost_day_pkey PRIMARY KEY (client_id, day, type, country)
index CREATE INDEX carrier_cost_day_workspace ON public.carrier_cost_day USING btree (workspace_id, day)
index CREATE UNIQUE INDEX carrier_cost_day_pkey ON public.carrier_cost_day USING btree (client_id, day, type, country)
table carrier_price_list
column carrier_price_list.carrier_id uuid not null
column carrier_price_list.currency text not null
column carrier_price_list.prefixes text[] not null
column carrier_price_list.prices_e4 bigint[] not null
column carrier_price_list.revision integer not null
column carrier_price_list.updated_at timestamp with time zone not null
constraint carrier_price_list.carrier_price_list_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE
constraint carrier_price_list.carrier_price_list_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
constraint carrier_price_list.carrier_price_list_pairs CHECK ((cardinality(prefixes) = cardinality(prices_e4)))
constraint carrier_price_list.carrier_price_list_pkey PRIMARY KEY (carrier_id)
constraint carrier_price_list.carrier_price_list_prefixes_check CHECK ((cardinality(prefixes) <= 1000))
index CREATE UNIQUE INDEX carrier_price_list_pkey ON public.carrier_price_list USING btree (carrier_id)
table carrier_stats with (fillfactor=50)
column carrier_stats.accepted bigint not null
column carrier_stats.account_rejections bigint not null default 0
column carrier_stats.answer_ms bigint not null
column carrier_stats.carrier_id uuid not null
column carrier_stats.delivered bigint not null
column carrier_stats.duplicate_message_ids bigint not null default 0
column carrier_stats.prefix text not null
column carrier_stats.receipt_ms bigint not null
column carrier_stats.receipts bigint not null
column carrier_stats.rejected bigint not null
column carrier_stats.slot timestamp with time zone not null
column carrier_stats.unanswered bigint not null
column carrier_stats.undelivered bigint not null
column carrier_stats.unexpected_answers bigint not null default 0
column carrier_stats.unreadable_answers bigint not null default 0
column carrier_stats.unreadable_receipts bigint not null default 0
constraint carrier_stats.carrier_stats_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE
constraint carrier_stats.carrier_stats_pkey PRIMARY KEY (carrier_id, prefix, slot)
index CREATE INDEX carrier_stats_slot ON public.carrier_stats USING btree (slot)
index CREATE UNIQUE INDEX carrier_stats_pkey ON public.carrier_stats USING btree (carrier_id, prefix, slot)
table carrier_test
column carrier_test.answered_at timestamp with time zone
column carrier_test.carrier_id uuid not null
column carrier_test.carrier_message_id text
column carrier_test.command_status bigint
column carrier_test.id uuid not null
column carrier_test.milliseconds real
column carrier_test.outcome submission_outcome
column carrier_test.reference text
column carrier_test.report_code text
column carrier_test.report_raw text
column carrier_test.report_state text
column carrier_test.reported_at timestamp with time zone
column carrier_test.started_at timestamp with time zone not null
column carrier_test.text text
column carrier_test.to_number text
constraint carrier_test.carrier_test_answer CHECK (((outcome IS NULL) = (answered_at IS NULL)))
constraint carrier_test.carrier_test_answer_of_message CHECK (((to_number IS NOT NULL) OR (outcome IS NULL)))
constraint carrier_test.carrier_test_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE
constraint carrier_test.carrier_test_message CHECK (((to_number IS NULL) = (text IS NULL)))
constraint carrier_test.carrier_test_pkey PRIMARY KEY (id)
constraint carrier_test.carrier_test_report CHECK (((report_state IS NULL) = (reported_at IS NULL)))
index CREATE INDEX carrier_test_carrier ON public.carrier_test USING btree (carrier_id, id)
index CREATE INDEX carrier_test_reference ON public.carrier_test USING btree (carrier_id, reference) WHERE (reference IS NOT NULL)
index CREATE UNIQUE INDEX carrier_test_pkey ON public.carrier_test USING btree (id)
table carrier_test_bind
column carrier_test_bind.answered_at timestamp with time zone
column carrier_test_bind.bound_at timestamp with time zone
column carrier_test_bind.fault text
column carrier_test_bind.milliseconds real
column carrier_test_bind.mode text not null
column carrier_test_bind.number smallint not null
column carrier_test_bind.process_id uuid
column carrier_test_bind.sends_message boolean not null
column carrier_test_bind.started_at timestamp with time zone
column carrier_test_bind.state text not null
column carrier_test_bind.steps jsonb not null default '[]'::jsonb
column carrier_test_bind.test_id uuid not null
constraint carrier_test_bind.carrier_test_bind_answer CHECK ((num_nonnulls(milliseconds, fault) = num_nonnulls(answered_at)))
constraint carrier_test_bind.carrier_test_bind_pkey PRIMARY KEY (test_id, number)
constraint carrier_test_bind.carrier_test_bind_test_id_fkey FOREIGN KEY (test_id) REFERENCES carrier_test(id) ON DELETE CASCADE
index CREATE INDEX carrier_test_bind_process ON public.carrier_test_bind USING btree (process_id) WHERE (started_at IS NULL)
index CREATE UNIQUE INDEX carrier_test_bind_pkey ON public.carrier_test_bind USING btree (test_id, number)
unlogged table challenge
column challenge.details jsonb not null
column challenge.expires_at timestamp with time zone not null
column challenge.id uuid not null
column challenge.kind text not null
column challenge.person_id uuid
column challenge.requester text not null default ''::text
constraint challenge.challenge_kind_check CHECK ((kind = ANY (ARRAY['passkey_new'::text, 'passkey'::text, 'oidc'::text])))
constraint challenge.challenge_pkey PRIMARY KEY (id)
index CREATE INDEX challenge_end ON public.challenge USING btree (expires_at)
index CREATE INDEX challenge_requester ON public.challenge USING btree (requester, id)
index CREATE UNIQUE INDEX challenge_pkey ON public.challenge USING btree (id)
table claim with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0)
column claim.carrier_id uuid not null
column claim.claimed_at timestamp with time zone not null
column claim.costs_e4 bigint[] not null
column claim.id uuid not null
column claim.leased_until timestamp with time zone not null
column claim.message_ids uuid[] not null
column claim.ordinals integer[] not null
column claim.receipts receipt_rule
column claim.segment_counts smallint[] not null
column claim.segments smallint[] not null
column claim.senders text[] not null
constraint claim.claim_pkey PRIMARY KEY (id)
index CREATE UNIQUE INDEX claim_pkey ON public.claim USING btree (id)
table client
column client.brand_name text not null
column client.created_at timestamp with time zone not null
column client.daily_cap integer
column client.default_sender text not null
column client.disabled_at timestamp with time zone
column client.disabled_by text
column client.hourly_cap_per_number integer
column client.hourly_cap_since timestamp with time zone
column client.id uuid not null
column client.listening_by text
column client.listening_session uuid
column client.listening_until timestamp with time zone
column client.mode text not null
column client.name text not null
column client.only_networks text[]
column client.only_prefixes text[]
column client.only_types text[]
column client.operator_restrictions jsonb not null default '{}'::jsonb
column client.previous_webhook_secret_ends_at timestamp with time zone
column client.previous_webhook_secret_sealed bytea
column client.pumping_allowlist text[]
column client.pumping_guard text not null default 'monitor'::text
column client.requests_per_second integer not null
column client.test_otp_code_sealed bytea
column client.updated_at timestamp with time zone not null
column client.webhook_secret_sealed bytea not null
column client.webhook_url text
column client.workspace_id uuid not null
constraint client.client_brand_name_check CHECK (((length(brand_name) >= 1) AND (length(brand_name) <= 30)))
constraint client.client_daily_cap_check CHECK ((daily_cap >= 0))
constraint client.client_default_sender_check CHECK (((length(default_sender) >= 1) AND (length(default_sender) <= 100)))
constraint client.client_disabled_by CHECK (((disabled_by IS NULL) = (disabled_at IS NULL)))
constraint client.client_disabled_by_check CHECK ((disabled_by = ANY (ARRAY['operator'::text, 'owner'::text])))
constraint client.client_hourly_cap_per_number_check CHECK ((hourly_cap_per_number >= 0))
constraint client.client_listening_check CHECK ((num_nonnulls(listening_by, listening_session, listening_until) = ANY (ARRAY[0, 3])))
constraint client.client_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
constraint client.client_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
constraint client.client_only_types_check CHECK ((only_types <@ ARRAY['transactional'::text, 'otp'::text, 'promotional'::text]))
constraint client.client_pkey PRIMARY KEY (id)
constraint client.client_previous_webhook_secret CHECK (((previous_webhook_secret_sealed IS NULL) = (previous_webhook_secret_ends_at IS NULL)))
constraint client.client_pumping_guard_check CHECK ((pumping_guard = ANY (ARRAY['off'::text, 'monitor'::text, 'block'::text])))
constraint client.client_requests_per_second_check CHECK (((requests_per_second >= 1) AND (requests_per_second <= 100000)))
constraint client.client_test_otp_code CHECK (((mode = 'test'::text) OR (test_otp_code_sealed IS NULL)))
constraint client.client_webhook_url_check CHECK ((webhook_url ~~ 'https://%'::text))
constraint client.client_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE INDEX client_listening ON public.client USING btree (listening_until) WHERE (listening_until IS NOT NULL)
index CREATE INDEX client_workspace ON public.client USING btree (workspace_id, id)
index CREATE UNIQUE INDEX client_pkey ON public.client USING btree (id)
table client_counter with (fillfactor=50)
column client_counter.client_id uuid not null
column client_counter.counter_shard smallint not null default 0
column client_counter.delivered bigint not null default 0
column client_counter.failed bigint not null default 0
column client_counter.sent bigint not null default 0
constraint client_counter.client_counter_pkey PRIMARY KEY (client_id, counter_shard)
index CREATE UNIQUE INDEX client_counter_pkey ON public.client_counter USING btree (client_id, counter_shard)
table client_key
column client_key.client_id uuid not null
column client_key.created_at timestamp with time zone not null
column client_key.hash bytea not null
column client_key.id uuid not null
column client_key.prefix text not null
column client_key.slot smallint not null
constraint client_key.client_key_client_id_fkey FOREIGN KEY (client_id) REFERENCES client(id)
constraint client_key.client_key_hash UNIQUE (hash) INCLUDE (client_id)
constraint client_key.client_key_hash_check CHECK ((length(hash) = 32))
constraint client_key.client_key_pkey PRIMARY KEY (id)
constraint client_key.client_key_slot UNIQUE (client_id, slot)
constraint client_key.client_key_slot_check CHECK ((slot = ANY (ARRAY[1, 2])))
index CREATE UNIQUE INDEX client_key_hash ON public.client_key USING btree (hash) INCLUDE (client_id)
index CREATE UNIQUE INDEX client_key_pkey ON public.client_key USING btree (id)
index CREATE UNIQUE INDEX client_key_slot ON public.client_key USING btree (client_id, slot)
table country
column country.code text not null
column country.name text not null
column country.policy text not null default 'weighted'::text
column country.quiet_from text
column country.quiet_to text
column country.state text not null
column country.time_zone text not null
constraint country.country_code_check CHECK ((code ~ '^[A-Z]{2}$'::text))
constraint country.country_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
constraint country.country_pkey PRIMARY KEY (code)
constraint country.country_policy_check CHECK ((policy = ANY (ARRAY['weighted'::text, 'priority'::text, 'cheapest'::text])))
constraint country.country_quiet_from_check CHECK ((quiet_from ~ '^([01]\d|2[0-3]):[0-5]\d$'::text))
constraint country.country_quiet_hours CHECK (((quiet_from IS NULL) = (quiet_to IS NULL)))
constraint country.country_quiet_to_check CHECK ((quiet_to ~ '^([01]\d|2[0-3]):[0-5]\d$'::text))
constraint country.country_state_check CHECK ((state = ANY (ARRAY['live'::text, 'comingSoon'::text, 'off'::text])))
index CREATE UNIQUE INDEX country_pkey ON public.country USING btree (code)
table credit_alert
column credit_alert.below_e4 amount_e4 not null
column credit_alert.crossed_at timestamp with time zone
column credit_alert.notified_at timestamp with time zone
column credit_alert.notify_after timestamp with time zone
column credit_alert.posted_at timestamp with time zone
column credit_alert.workspace_id uuid not null
constraint credit_alert.credit_alert_pkey PRIMARY KEY (workspace_id, below_e4)
constraint credit_alert.credit_alert_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE UNIQUE INDEX credit_alert_pkey ON public.credit_alert USING btree (workspace_id, below_e4)
table credit_alert_notice
column credit_alert_notice.notified_at timestamp with time zone
column credit_alert_notice.posted_at timestamp with time zone
column credit_alert_notice.workspace_id uuid not null
constraint credit_alert_notice.credit_alert_notice_pkey PRIMARY KEY (workspace_id)
constraint credit_alert_notice.credit_alert_notice_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE UNIQUE INDEX credit_alert_notice_pkey ON public.credit_alert_notice USING btree (workspace_id)
table credit_alert_webhook
column credit_alert_webhook.client_id uuid not null
column credit_alert_webhook.workspace_id uuid not null
constraint credit_alert_webhook.credit_alert_webhook_client_id_fkey FOREIGN KEY (client_id) REFERENCES client(id)
constraint credit_alert_webhook.credit_alert_webhook_pkey PRIMARY KEY (workspace_id)
constraint credit_alert_webhook.credit_alert_webhook_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE UNIQUE INDEX credit_alert_webhook_pkey ON public.credit_alert_webhook USING btree (workspace_id)
table credit_request
column credit_request.amount_e4 amount_e4 not null
column credit_request.decided_at timestamp with time zone
column credit_request.mail_after timestamp with time zone
column credit_request.note text
column credit_request.operators_mailed_at timestamp with time zone
column credit_request.owners_mailed_at timestamp with time zone
column credit_request.reason text
column credit_request.requested_at timestamp with time zone not null
column credit_request.status text not null
column credit_request.workspace_id uuid not null
constraint credit_request.credit_request_amount_e4_check CHECK (((amount_e4)::bigint > 0))
constraint credit_request.credit_request_check CHECK (((status = 'open'::text) = (decided_at IS NULL)))
constraint credit_request.credit_request_check1 CHECK (((reason IS NULL) OR (status = 'declined'::text)))
constraint credit_request.credit_request_pkey PRIMARY KEY (workspace_id)
constraint credit_request.credit_request_status_check CHECK ((status = ANY (ARRAY['open'::text, 'granted'::text, 'declined'::text, 'withdrawn'::text])))
constraint credit_request.credit_request_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE INDEX credit_request_open ON public.credit_request USING btree (requested_at) WHERE (status = 'open'::text)
index CREATE UNIQUE INDEX credit_request_pkey ON public.credit_request USING btree (workspace_id)
table delivery_process with (fillfactor=50)
column delivery_process.accepted integer not null default 0
column delivery_process.alive_until timestamp with time zone not null
column delivery_process.delivered integer not null default 0
column delivery_process.id uuid not null
column delivery_process.rejected integer not null default 0
column delivery_process.undelivered integer not null default 0
constraint delivery_process.delivery_process_pkey PRIMARY KEY (id)
index CREATE UNIQUE INDEX delivery_process_pkey ON public.delivery_process USING btree (id)
table delivery_queue with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0)
column delivery_queue.attempts integer not null default 0
column delivery_queue.avoid_carrier_id uuid not null
column delivery_queue.client_id uuid not null
column delivery_queue.destination text not null
column delivery_queue.due_at timestamp with time zone not null
column delivery_queue.first_message_id uuid not null
column delivery_queue.message_ids uuid[] not null
column delivery_queue.priority delivery_priority not null
column delivery_queue.workspace_id uuid not null
constraint delivery_queue.delivery_queue_messages CHECK (((message_ids[1] = first_message_id) AND ((attempts = 0) OR (cardinality(message_ids) = 1))))
constraint delivery_queue.delivery_queue_pkey PRIMARY KEY (priority, first_message_id)
index CREATE INDEX delivery_queue_order ON public.delivery_queue USING btree (destination, avoid_carrier_id, priority, workspace_id, client_id, due_at)
index CREATE UNIQUE INDEX delivery_queue_pkey ON public.delivery_queue USING btree (priority, first_message_id)
table email_link
column email_link.created_at timestamp with time zone not null
column email_link.email email_address not null
column email_link.expires_at timestamp with time zone not null
column email_link.id uuid not null
column email_link.is_open boolean not null default true
column email_link.person_id uuid not null
column email_link.secret_hash secret_hash not null
constraint email_link.email_link_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id)
constraint email_link.email_link_pkey PRIMARY KEY (id)
constraint email_link.email_link_secret_hash_key UNIQUE (secret_hash)
index CREATE INDEX email_link_email ON public.email_link USING btree (email, created_at)
index CREATE INDEX email_link_end ON public.email_link USING btree (expires_at)
index CREATE INDEX email_link_person ON public.email_link USING btree (person_id, created_at)
index CREATE UNIQUE INDEX email_link_open ON public.email_link USING btree (person_id) WHERE is_open
index CREATE UNIQUE INDEX email_link_pkey ON public.email_link USING btree (id)
index CREATE UNIQUE INDEX email_link_secret_hash_key ON public.email_link USING btree (secret_hash)
table expiry_sweep
column expiry_sweep.kind text not null
column expiry_sweep.swept_at timestamp with time zone not null default '-infinity'::timestamp with time zone
column expiry_sweep.swept_to uuid not null
constraint expiry_sweep.expiry_sweep_kind_check CHECK ((kind = ANY (ARRAY['otp'::text, 'other'::text, 'texts'::text])))
constraint expiry_sweep.expiry_sweep_pkey PRIMARY KEY (kind)
index CREATE UNIQUE INDEX expiry_sweep_pkey ON public.expiry_sweep USING btree (kind)
unlogged table failed_sign_in
column failed_sign_in.attempts integer not null
column failed_sign_in.last_attempt_at timestamp with time zone not null
column failed_sign_in.subject_hash secret_hash not null
constraint failed_sign_in.failed_sign_in_attempts_check CHECK ((attempts > 0))
constraint failed_sign_in.failed_sign_in_pkey PRIMARY KEY (subject_hash)
index CREATE INDEX failed_sign_in_last_attempt ON public.failed_sign_in USING btree (last_attempt_at)
index CREATE UNIQUE INDEX failed_sign_in_pkey ON public.failed_sign_in USING btree (subject_hash)
table http_carrier
column http_carrier.callback_hash text
column http_carrier.carrier_id uuid not null
column http_carrier.description jsonb not null
column http_carrier.secret_names text[] not null
constraint http_carrier.http_carrier_callback_hash_key UNIQUE (callback_hash)
constraint http_carrier.http_carrier_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE
constraint http_carrier.http_carrier_pkey PRIMARY KEY (carrier_id)
constraint http_carrier.http_carrier_secret_names_check CHECK ((cardinality(secret_names) <= 20))
index CREATE UNIQUE INDEX http_carrier_callback_hash_key ON public.http_carrier USING btree (callback_hash)
index CREATE UNIQUE INDEX http_carrier_pkey ON public.http_carrier USING btree (carrier_id)
table idempotent_answer
column idempotent_answer.answer text not null
column idempotent_answer.answered_at timestamp with time zone not null
column idempotent_answer.client_id uuid not null
column idempotent_answer.fingerprint bytea not null
column idempotent_answer.idempotency_key text not null
column idempotent_answer.key_id text not null
constraint idempotent_answer.idempotent_answer_pkey PRIMARY KEY (client_id, idempotency_key)
index CREATE INDEX idempotent_answer_age ON public.idempotent_answer USING btree (answered_at)
index CREATE UNIQUE INDEX idempotent_answer_pkey ON public.idempotent_answer USING btree (client_id, idempotency_key)
table inbound_message partition by RANGE (id)
column inbound_message.carrier_id uuid not null
column inbound_message.client_id uuid
column inbound_message.from_number text not null
column inbound_message.id uuid not null
column inbound_message.in_reply_to uuid
column inbound_message.received_at timestamp with time zone not null
column inbound_message.text text not null
column inbound_message.to_address text not null
column inbound_message.workspace_id uuid
constraint inbound_message.inbound_message_owner CHECK (((workspace_id IS NULL) = (client_id IS NULL)))
constraint inbound_message.inbound_message_pkey PRIMARY KEY (id)
constraint inbound_message.inbound_message_reply CHECK (((client_id IS NOT NULL) OR (in_reply_to IS NULL)))
index CREATE INDEX inbound_message_client ON ONLY public.inbound_message USING btree (client_id, id)
index CREATE INDEX inbound_message_from ON ONLY public.inbound_message USING btree (workspace_id, from_number, id)
index CREATE INDEX inbound_message_unassigned ON ONLY public.inbound_message USING btree (id) WHERE (client_id IS NULL)
index CREATE INDEX inbound_message_workspace ON ONLY public.inbound_message USING btree (workspace_id, id)
index CREATE UNIQUE INDEX inbound_message_pkey ON ONLY public.inbound_message USING btree (id)
table inbound_part
column inbound_part.carrier_id uuid not null
column inbound_part.from_number text not null
column inbound_part.part smallint not null
column inbound_part.received_at timestamp with time zone not null
column inbound_part.reference integer not null
column inbound_part.reference_bits smallint not null
column inbound_part.text_json text not null
column inbound_part.to_address text not null
column inbound_part.total smallint not null
constraint inbound_part.inbound_part_number CHECK (((part >= 1) AND (part <= total)))
constraint inbound_part.inbound_part_pkey PRIMARY KEY (carrier_id, from_number, to_address, reference, reference_bits, total, part)
constraint inbound_part.inbound_part_reference_bits_check CHECK ((reference_bits = ANY (ARRAY[8, 16])))
constraint inbound_part.inbound_part_total_check CHECK (((total >= 2) AND (total <= 255)))
index CREATE INDEX inbound_part_age ON public.inbound_part USING btree (received_at)
index CREATE UNIQUE INDEX inbound_part_pkey ON public.inbound_part USING btree (carrier_id, from_number, to_address, reference, reference_bits, total, part)
table inbound_seen
column inbound_seen.fingerprint text not null
column inbound_seen.seen_at timestamp with time zone not null
constraint inbound_seen.inbound_seen_pkey PRIMARY KEY (fingerprint)
index CREATE INDEX inbound_seen_age ON public.inbound_seen USING btree (seen_at)
index CREATE UNIQUE INDEX inbound_seen_pkey ON public.inbound_seen USING btree (fingerprint)
table invitation
column invitation.created_at timestamp with time zone not null
column invitation.created_by text not null
column invitation.email email_address
column invitation.expires_at timestamp with time zone not null
column invitation.id uuid not null
column invitation.is_mailed boolean not null
column invitation.kind text not null
column invitation.person_id uuid
column invitation.role workspace_role
column invitation.secret_hash secret_hash not null
column invitation.workspace_id uuid
constraint invitation.invitation_has_email CHECK (((kind = 'operator'::text) OR (email IS NOT NULL)))
constraint invitation.invitation_kind_check CHECK ((kind = ANY (ARRAY['operator'::text, 'member'::text, 'recovery'::text])))
constraint invitation.invitation_of_member CHECK ((((kind = 'member'::text) = (workspace_id IS NOT NULL)) AND ((workspace_id IS NULL) = (role IS NULL))))
constraint invitation.invitation_of_recovery CHECK (((kind = 'recovery'::text) = (person_id IS NOT NULL)))
constraint invitation.invitation_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id)
constraint invitation.invitation_pkey PRIMARY KEY (id)
constraint invitation.invitation_secret_hash_key UNIQUE (secret_hash)
constraint invitation.invitation_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE INDEX invitation_email ON public.invitation USING btree (email) WHERE (email IS NOT NULL)
index CREATE INDEX invitation_end ON public.invitation USING btree (expires_at)
index CREATE INDEX invitation_operator ON public.invitation USING btree (id) WHERE (kind = 'operator'::text)
index CREATE INDEX invitation_person ON public.invitation USING btree (person_id, id) WHERE (person_id IS NOT NULL)
index CREATE INDEX invitation_workspace ON public.invitation USING btree (workspace_id, id) WHERE (workspace_id IS NOT NULL)
index CREATE UNIQUE INDEX invitation_pkey ON public.invitation USING btree (id)
index CREATE UNIQUE INDEX invitation_secret_hash_key ON public.invitation USING btree (secret_hash)
table keyring_key
column keyring_key.fingerprint text not null
column keyring_key.key_id text not null
column keyring_key.purpose text not null
constraint keyring_key.keyring_key_pkey PRIMARY KEY (purpose, key_id)
constraint keyring_key.keyring_key_purpose_check CHECK ((purpose = ANY (ARRAY['codes'::text, 'texts'::text, 'secrets'::text])))
index CREATE UNIQUE INDEX keyring_key_pkey ON public.keyring_key USING btree (purpose, key_id)
table ledger_entry
column ledger_entry.amount_e4 charge_e4 not null statistics 10
column ledger_entry.at timestamp with time zone not null statistics 10
column ledger_entry.balance_e4 amount_e4 not null statistics 10
column ledger_entry.id uuid not null statistics 10
column ledger_entry.kind ledger_kind not null statistics 10
column ledger_entry.message_id uuid statistics 10
column ledger_entry.messages integer statistics 10
column ledger_entry.note text statistics 10
column ledger_entry.period date not null statistics 10
column ledger_entry.workspace_id uuid not null statistics 10
constraint ledger_entry.ledger_entry_of_message CHECK (
CASE kind
    WHEN 'reservation'::text THEN (message_id IS NULL)
    WHEN 'refund'::text THEN (message_id IS NOT NULL)
    ELSE true
END)
constraint ledger_entry.ledger_entry_pkey PRIMARY KEY (workspace_id, id)
constraint ledger_entry.ledger_entry_reservation CHECK (((((kind)::text = 'reservation'::text) = (messages IS NOT NULL)) AND (messages > 0)))
index CREATE INDEX ledger_entry_rare ON public.ledger_entry USING btree (workspace_id, kind, id) WHERE ((kind)::text <> 'reservation'::text)
index CREATE UNIQUE INDEX ledger_entry_message ON public.ledger_entry USING btree (message_id, kind) WHERE (message_id IS NOT NULL)
index CREATE UNIQUE INDEX ledger_entry_period ON public.ledger_entry USING btree (workspace_id, period, kind) WHERE (((kind)::text = ANY (ARRAY['grant'::text, 'expiry'::text])) AND (message_id IS NULL))
index CREATE UNIQUE INDEX ledger_entry_pkey ON public.ledger_entry USING btree (workspace_id, id)
CREATE TRIGGER ledger_entry_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION reject_change()
view ledger_line as  SELECT ledger_entry.workspace_id,
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
column ledger_line.account text
column ledger_line.amount_e4 bigint
column ledger_line.at timestamp with time zone
column ledger_line.id uuid
column ledger_line.period date
column ledger_line.workspace_id uuid
table listening_event
column listening_event.body bytea not null
column listening_event.client_id uuid not null
column listening_event.created_at timestamp with time zone not null
column listening_event.delivery_id uuid not null
column listening_event.is_forwarded boolean not null default false
column listening_event.message_id uuid
column listening_event.name event_name not null
column listening_event.position bigint not null identity
column listening_event.webhook_status event_status
constraint listening_event.listening_event_message_status CHECK (((message_id IS NULL) = (webhook_status IS NULL)))
constraint listening_event.listening_event_pkey PRIMARY KEY ("position")
index CREATE INDEX listening_event_created ON public.listening_event USING btree (created_at)
index CREATE INDEX listening_event_pending ON public.listening_event USING btree (client_id, "position") WHERE (NOT is_forwarded)
index CREATE UNIQUE INDEX listening_event_once ON public.listening_event USING btree (message_id, webhook_status) WHERE (message_id IS NOT NULL)
index CREATE UNIQUE INDEX listening_event_pkey ON public.listening_event USING btree ("position")
table membership
column membership.created_at timestamp with time zone not null
column membership.person_id uuid not null
column membership.role workspace_role not null
column membership.workspace_id uuid not null
constraint membership.membership_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id)
constraint membership.membership_pkey PRIMARY KEY (person_id, workspace_id)
constraint membership.membership_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE INDEX membership_workspace ON public.membership USING btree (workspace_id, person_id)
index CREATE UNIQUE INDEX membership_pkey ON public.membership USING btree (person_id, workspace_id)
table message partition by RANGE (id) with (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=10000, fillfactor=50)
column message.client_id uuid not null statistics 10
column message.cost_e4 amount_e4 not null statistics 10
column message.country text not null statistics 10
column message.created_at timestamp with time zone not null statistics 10
column message.delivered_at timestamp with time zone statistics 10
column message.dlr jsonb statistics 10
column message.encoding text_encoding not null statistics 10
column message.error message_error not null default ''::text statistics 10
column message.failed_at timestamp with time zone statistics 10
column message.id uuid not null statistics 10
column message.rare_status text statistics 10
column message.reservation_id uuid statistics 10
column message.segments segment_count not null statistics 10
column message.sender text not null statistics 10
column message.sent_at timestamp with time zone statistics 10
column message.status message_status not null statistics 10
column message.submissions smallint not null default 0 statistics 10
column message.submitted_at timestamp with time zone statistics 10
column message.template_id uuid statistics 10
column message.text text statistics 0
column message.to_number text not null statistics 10
column message.type message_type not null statistics 10
column message.undelivered_at timestamp with time zone statistics 10
column message.updated_at timestamp with time zone not null statistics 10
column message.workspace_id uuid not null statistics 10
constraint message.message_pkey PRIMARY KEY (id)
index CREATE INDEX message_number ON ONLY public.message USING btree (to_number, id)
index CREATE INDEX message_rare ON ONLY public.message USING btree (workspace_id, rare_status, id) WHERE (rare_status IS NOT NULL)
index CREATE INDEX message_rare_status ON ONLY public.message USING btree (rare_status, id) WHERE (rare_status IS NOT NULL)
index CREATE INDEX message_workspace ON ONLY public.message USING btree (workspace_id, id)
index CREATE UNIQUE INDEX message_pkey ON ONLY public.message USING btree (id)
table message_day with (fillfactor=50)
column message_day.accepted bigint not null
column message_day.day date not null
column message_day.delivered bigint not null
column message_day.failed bigint not null
column message_day.undelivered bigint not null
column message_day.workspace_id uuid not null
constraint message_day.message_day_pkey PRIMARY KEY (workspace_id, day)
index CREATE INDEX message_day_age ON public.message_day USING btree (day)
index CREATE UNIQUE INDEX message_day_pkey ON public.message_day USING btree (workspace_id, day)
table message_quarter_hour with (fillfactor=50)
column message_quarter_hour.accepted bigint not null default 0
column message_quarter_hour.counter_shard smallint not null
column message_quarter_hour.delivered bigint not null default 0
column message_quarter_hour.failed bigint not null default 0
column message_quarter_hour.quarter_hour timestamp with time zone not null
column message_quarter_hour.undelivered bigint not null default 0
column message_quarter_hour.workspace_id uuid not null
constraint message_quarter_hour.message_quarter_hour_pkey PRIMARY KEY (workspace_id, quarter_hour, counter_shard)
index CREATE INDEX message_quarter_hour_age ON public.message_quarter_hour USING btree (quarter_hour)
index CREATE UNIQUE INDEX message_quarter_hour_pkey ON public.message_quarter_hour USING btree (workspace_id, quarter_hour, counter_shard)
table onboarding
column onboarding.code_verified_at timestamp with time zone
column onboarding.key_used_at timestamp with time zone
column onboarding.message_sent_at timestamp with time zone
column onboarding.webhook_delivered_at timestamp with time zone
column onboarding.workspace_id uuid not null
constraint onboarding.onboarding_pkey PRIMARY KEY (workspace_id)
constraint onboarding.onboarding_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE UNIQUE INDEX onboarding_pkey ON public.onboarding USING btree (workspace_id)
unlogged table otp_caller with (fillfactor=50)
column otp_caller.caller text not null
column otp_caller.client_id uuid not null
column otp_caller.granted integer not null
column otp_caller.requested_at timestamp with time zone[] not null
constraint otp_caller.otp_caller_pkey PRIMARY KEY (client_id, caller)
index CREATE UNIQUE INDEX otp_caller_pkey ON public.otp_caller USING btree (client_id, caller)
table otp_code with (fillfactor=70)
column otp_code.client_id uuid not null
column otp_code.code_hash bytea not null
column otp_code.expires_at timestamp with time zone not null
column otp_code.key_id text not null
column otp_code.message_id uuid not null
column otp_code.otp_id uuid not null
column otp_code.purpose text not null
column otp_code.sent_at timestamp with time zone not null
column otp_code.to_number text not null
column otp_code.used_at timestamp with time zone
column otp_code.wrong_tries smallint not null default 0
constraint otp_code.otp_code_code_hash_check CHECK ((length(code_hash) = 32))
constraint otp_code.otp_code_otp_id_key UNIQUE (otp_id)
constraint otp_code.otp_code_pkey PRIMARY KEY (client_id, to_number, purpose)
constraint otp_code.otp_code_purpose_check CHECK ((length(purpose) <= 50))
constraint otp_code.otp_code_wrong_tries_check CHECK (((wrong_tries >= 0) AND (wrong_tries <= 5)))
index CREATE INDEX otp_code_expiry ON public.otp_code USING btree (expires_at)
index CREATE UNIQUE INDEX otp_code_otp_id_key ON public.otp_code USING btree (otp_id)
index CREATE UNIQUE INDEX otp_code_pkey ON public.otp_code USING btree (client_id, to_number, purpose)
table otp_day with (fillfactor=50)
column otp_day.codes bigint not null
column otp_day.day date not null
column otp_day.operator_prefix text not null
column otp_day.stage otp_stage not null
column otp_day.workspace_id uuid not null
constraint otp_day.otp_day_pkey PRIMARY KEY (workspace_id, day, operator_prefix, stage)
index CREATE INDEX otp_day_age ON public.otp_day USING btree (day)
index CREATE INDEX otp_day_service ON public.otp_day USING btree (day) WHERE (operator_prefix = ''::text)
index CREATE INDEX otp_day_whole ON public.otp_day USING btree (workspace_id, day) WHERE (operator_prefix = ''::text)
index CREATE UNIQUE INDEX otp_day_pkey ON public.otp_day USING btree (workspace_id, day, operator_prefix, stage)
table otp_hour with (fillfactor=50)
column otp_hour.client_id uuid not null
column otp_hour.hour timestamp with time zone not null
column otp_hour.operator_prefix text not null
column otp_hour.sends bigint not null default 0
column otp_hour.verified bigint not null default 0
constraint otp_hour.otp_hour_pkey PRIMARY KEY (client_id, operator_prefix, hour)
index CREATE INDEX otp_hour_age ON public.otp_hour USING btree (hour)
index CREATE UNIQUE INDEX otp_hour_pkey ON public.otp_hour USING btree (client_id, operator_prefix, hour)
table otp_send_stat with (fillfactor=80)
column otp_send_stat.block text not null
column otp_send_stat.client_id uuid not null
column otp_send_stat.failed boolean not null default false
column otp_send_stat.id uuid not null
column otp_send_stat.last_four smallint not null
column otp_send_stat.operator_prefix text not null
column otp_send_stat.sent_at timestamp with time zone not null
column otp_send_stat.to_number text not null
column otp_send_stat.verified_at timestamp with time zone
constraint otp_send_stat.otp_send_stat_last_four_check CHECK (((last_four >= 0) AND (last_four <= 9999)))
constraint otp_send_stat.otp_send_stat_pkey PRIMARY KEY (id)
index CREATE INDEX otp_send_stat_age ON public.otp_send_stat USING btree (sent_at)
index CREATE INDEX otp_send_stat_block ON public.otp_send_stat USING btree (client_id, block, sent_at)
index CREATE INDEX otp_send_stat_client ON public.otp_send_stat USING btree (client_id, sent_at)
index CREATE INDEX otp_send_stat_prefix ON public.otp_send_stat USING btree (client_id, operator_prefix, sent_at)
index CREATE UNIQUE INDEX otp_send_stat_pkey ON public.otp_send_stat USING btree (id)
table owner_token
column owner_token.created_at timestamp with time zone not null
column owner_token.expires_at timestamp with time zone
column owner_token.id uuid not null
column owner_token.last_used_at timestamp with time zone
column owner_token.name text not null
column owner_token.person_id uuid
column owner_token.revoked_at timestamp with time zone
column owner_token.role text not null
column owner_token.token_hash bytea not null
column owner_token.workspace_id uuid
constraint owner_token.owner_token_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
constraint owner_token.owner_token_operator CHECK (((role = 'operator'::text) = (workspace_id IS NULL)))
constraint owner_token.owner_token_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id)
constraint owner_token.owner_token_pkey PRIMARY KEY (id)
constraint owner_token.owner_token_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'owner'::text, 'developer'::text, 'viewer'::text])))
constraint owner_token.owner_token_token_hash_check CHECK ((length(token_hash) = 32))
constraint owner_token.owner_token_token_hash_key UNIQUE (token_hash)
constraint owner_token.owner_token_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE INDEX owner_token_person ON public.owner_token USING btree (person_id) WHERE (person_id IS NOT NULL)
index CREATE INDEX owner_token_workspace ON public.owner_token USING btree (workspace_id, id)
index CREATE UNIQUE INDEX owner_token_pkey ON public.owner_token USING btree (id)
index CREATE UNIQUE INDEX owner_token_token_hash_key ON public.owner_token USING btree (token_hash)
table passkey
column passkey.counter bigint not null
column passkey.created_at timestamp with time zone not null
column passkey.credential_id bytea not null
column passkey.id uuid not null
column passkey.last_used_at timestamp with time zone
column passkey.name title not null
column passkey.person_id uuid not null
column passkey.public_key bytea not null
column passkey.transports text[] not null
constraint passkey.passkey_counter_check CHECK ((counter >= 0))
constraint passkey.passkey_credential_id_check CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1023)))
constraint passkey.passkey_credential_id_key UNIQUE (credential_id)
constraint passkey.passkey_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id)
constraint passkey.passkey_pkey PRIMARY KEY (id)
constraint passkey.passkey_public_key_check CHECK ((length(public_key) <= 4096))
index CREATE INDEX passkey_person ON public.passkey USING btree (person_id, id)
index CREATE UNIQUE INDEX passkey_credential_id_key ON public.passkey USING btree (credential_id)
index CREATE UNIQUE INDEX passkey_pkey ON public.passkey USING btree (id)
table pending_report
column pending_report.carrier_id uuid not null
column pending_report.code text not null
column pending_report.error text not null
column pending_report.id uuid not null
column pending_report.is_by_text boolean not null default false
column pending_report.match_attempts smallint not null default 0
column pending_report.next_match_at timestamp with time zone not null
column pending_report.raw text not null
column pending_report.received_at timestamp with time zone not null
column pending_report.reference text not null
column pending_report.state text not null
column pending_report.status text not null
column pending_report.to_number text not null
constraint pending_report.pending_report_pkey PRIMARY KEY (id)
index CREATE INDEX pending_report_next_match ON public.pending_report USING btree (next_match_at)
index CREATE INDEX pending_report_number ON public.pending_report USING btree (carrier_id, to_number)
index CREATE INDEX pending_report_reference ON public.pending_report USING btree (carrier_id, reference)
index CREATE UNIQUE INDEX pending_report_pkey ON public.pending_report USING btree (id)
table person
column person.created_at timestamp with time zone not null
column person.email email_address not null
column person.email_verified_at timestamp with time zone
column person.id uuid not null
column person.is_operator boolean not null default false
column person.language text
column person.name title not null
column person.password_hash text
column person.totp_confirmed_at timestamp with time zone
column person.totp_sealed bytea
column person.totp_step bigint not null default 0
constraint person.person_email_key UNIQUE (email)
constraint person.person_language_check CHECK ((language = ANY (ARRAY['en'::text, 'ne'::text])))
constraint person.person_password_hash_check CHECK ((password_hash ~~ '$argon2id$%'::text))
constraint person.person_pkey PRIMARY KEY (id)
constraint person.person_totp CHECK (((totp_confirmed_at IS NULL) OR (totp_sealed IS NOT NULL)))
index CREATE INDEX person_operator ON public.person USING btree (id) WHERE is_operator
index CREATE UNIQUE INDEX person_email_key ON public.person USING btree (email)
index CREATE UNIQUE INDEX person_pkey ON public.person USING btree (id)
table pumping_finding with (fillfactor=70)
column pumping_finding.client_id uuid not null
column pumping_finding.held_until timestamp with time zone not null
column pumping_finding.id uuid not null
column pumping_finding.passed bigint not null
column pumping_finding.reason text not null
column pumping_finding.refused bigint not null
column pumping_finding.rule text not null
column pumping_finding.scope text not null
column pumping_finding.strikes integer not null
column pumping_finding.struck_at timestamp with time zone not null
column pumping_finding.workspace_id uuid not null
constraint pumping_finding.pumping_finding_client_id_scope_struck_at_key UNIQUE (client_id, scope, struck_at)
constraint pumping_finding.pumping_finding_pkey PRIMARY KEY (id)
constraint pumping_finding.pumping_finding_rule_check CHECK ((rule = ANY (ARRAY['R1'::text, 'R2'::text, 'R3'::text])))
index CREATE INDEX pumping_finding_age ON public.pumping_finding USING btree (struck_at)
index CREATE INDEX pumping_finding_workspace ON public.pumping_finding USING btree (workspace_id, id)
index CREATE UNIQUE INDEX pumping_finding_client_id_scope_struck_at_key ON public.pumping_finding USING btree (client_id, scope, struck_at)
index CREATE UNIQUE INDEX pumping_finding_pkey ON public.pumping_finding USING btree (id)
table pumping_hold
column pumping_hold.client_id uuid not null
column pumping_hold.held_until timestamp with time zone not null
column pumping_hold.mode text not null
column pumping_hold.reason text not null
column pumping_hold.rule text not null
column pumping_hold.scope text not null
column pumping_hold.strikes integer not null
column pumping_hold.struck_at timestamp with time zone not null
constraint pumping_hold.pumping_hold_mode_check CHECK ((mode = ANY (ARRAY['monitor'::text, 'block'::text])))
constraint pumping_hold.pumping_hold_pkey PRIMARY KEY (client_id, scope)
constraint pumping_hold.pumping_hold_rule_check CHECK ((rule = ANY (ARRAY['R1'::text, 'R2'::text, 'R3'::text])))
constraint pumping_hold.pumping_hold_strikes_check CHECK ((strikes > 0))
index CREATE INDEX pumping_hold_age ON public.pumping_hold USING btree (struck_at)
index CREATE UNIQUE INDEX pumping_hold_pkey ON public.pumping_hold USING btree (client_id, scope)
table rate_limit_hit
column rate_limit_hit.at timestamp with time zone not null
column rate_limit_hit.id uuid not null
column rate_limit_hit.scope text not null
constraint rate_limit_hit.rate_limit_hit_pkey PRIMARY KEY (scope, at, id)
index CREATE INDEX rate_limit_hit_age ON public.rate_limit_hit USING btree (at)
index CREATE UNIQUE INDEX rate_limit_hit_pkey ON public.rate_limit_hit USING btree (scope, at, id)
table readiness_probe
column readiness_probe.process_id uuid not null
column readiness_probe.written_at timestamp with time zone not null
constraint readiness_probe.readiness_probe_pkey PRIMARY KEY (process_id)
index CREATE UNIQUE INDEX readiness_probe_pkey ON public.readiness_probe USING btree (process_id)
table receipt_poll
column receipt_poll.attempts smallint not null default 0
column receipt_poll.carrier_id uuid not null
column receipt_poll.carrier_message_id text
column receipt_poll.due_at timestamp with time zone not null
column receipt_poll.ends_at timestamp with time zone not null
column receipt_poll.last_state text not null default ''::text
column receipt_poll.message_id uuid not null
column receipt_poll.ordinal integer not null
column receipt_poll.reference text not null
column receipt_poll.segment smallint not null
column receipt_poll.to_number text not null
constraint receipt_poll.receipt_poll_attempts_check CHECK ((attempts >= 0))
constraint receipt_poll.receipt_poll_pkey PRIMARY KEY (message_id, ordinal, segment)
index CREATE INDEX receipt_poll_due ON public.receipt_poll USING btree (carrier_id, attempts, due_at)
index CREATE INDEX receipt_poll_end ON public.receipt_poll USING btree (ends_at)
index CREATE UNIQUE INDEX receipt_poll_pkey ON public.receipt_poll USING btree (message_id, ordinal, segment)
table receipt_process with (fillfactor=50)
column receipt_process.alive_until timestamp with time zone not null
column receipt_process.delivered integer not null
column receipt_process.id uuid not null
column receipt_process.undelivered integer not null
constraint receipt_process.receipt_process_pkey PRIMARY KEY (id)
index CREATE UNIQUE INDEX receipt_process_pkey ON public.receipt_process USING btree (id)
table recovery_code
column recovery_code.code_hash secret_hash not null
column recovery_code.person_id uuid not null
constraint recovery_code.recovery_code_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id)
constraint recovery_code.recovery_code_pkey PRIMARY KEY (person_id, code_hash)
index CREATE UNIQUE INDEX recovery_code_pkey ON public.recovery_code USING btree (person_id, code_hash)
table refused_request
column refused_request.at timestamp with time zone not null
column refused_request.client_id uuid not null
column refused_request.code text not null
column refused_request.id uuid not null
column refused_request.key_hint text
column refused_request.method text not null
column refused_request.milliseconds integer not null
column refused_request.route text not null
column refused_request.status smallint not null
column refused_request.workspace_id uuid not null
constraint refused_request.refused_request_pkey PRIMARY KEY (workspace_id, id)
index CREATE INDEX refused_request_age ON public.refused_request USING btree (at)
index CREATE INDEX refused_request_id ON public.refused_request USING btree (id)
index CREATE UNIQUE INDEX refused_request_pkey ON public.refused_request USING btree (workspace_id, id)
table report partition by RANGE (message_id)
column report.code text not null statistics 10
column report.error text not null statistics 10
column report.id uuid not null statistics 10
column report.message_id uuid not null statistics 10
column report.ordinal integer not null statistics 10
column report.raw text not null statistics 10
column report.received_at timestamp with time zone not null statistics 10
column report.segment smallint not null statistics 10
column report.state text not null statistics 10
column report.status text not null statistics 10
constraint report.report_error_check CHECK ((error = ANY (ARRAY[''::text, 'network_unavailable'::text, 'delivery_timeout'::text, 'carrier_rejected'::text, 'invalid_number'::text, 'delivery_failed'::text])))
constraint report.report_pkey PRIMARY KEY (message_id, id)
constraint report.report_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'undelivered'::text, 'rejected'::text])))
index CREATE UNIQUE INDEX report_pkey ON ONLY public.report USING btree (message_id, id)
unlogged table request_bucket with (fillfactor=50)
column request_bucket.client_id uuid not null
column request_bucket.granted integer not null
column request_bucket.refilled_at timestamp with time zone not null
column request_bucket.tokens double precision not null
constraint request_bucket.request_bucket_pkey PRIMARY KEY (client_id)
index CREATE UNIQUE INDEX request_bucket_pkey ON public.request_bucket USING btree (client_id)
table request_count with (fillfactor=50)
column request_count.code text not null
column request_count.hour timestamp with time zone not null
column request_count.last_at timestamp with time zone not null
column request_count.method text not null
column request_count.requests bigint not null
column request_count.route text not null
column request_count.status smallint not null
column request_count.workspace_id uuid not null
constraint request_count.request_count_pkey PRIMARY KEY (workspace_id, hour, method, route, status, code)
index CREATE INDEX request_count_age ON public.request_count USING btree (hour)
index CREATE UNIQUE INDEX request_count_pkey ON public.request_count USING btree (workspace_id, hour, method, route, status, code)
table resent_message
column resent_message.message_id uuid not null
column resent_message.resent_as uuid not null
column resent_message.resent_at timestamp with time zone not null
constraint resent_message.resent_message_pkey PRIMARY KEY (message_id)
constraint resent_message.resent_message_resent_as_key UNIQUE (resent_as)
index CREATE UNIQUE INDEX resent_message_pkey ON public.resent_message USING btree (message_id)
index CREATE UNIQUE INDEX resent_message_resent_as_key ON public.resent_message USING btree (resent_as)
table route
column route.carrier_id uuid not null
column route.country text not null
column route.created_at timestamp with time zone not null
column route.id uuid not null
column route.is_queue_updated boolean not null default false
column route.overflow boolean not null default false
column route.prefixes text[] not null
column route.priority integer not null
column route.types text[]
column route.weight smallint not null default 0
constraint route.route_carrier FOREIGN KEY (carrier_id) REFERENCES carrier(id)
constraint route.route_catch_all CHECK (((country <> '*'::text) OR (prefixes = '{}'::text[])))
constraint route.route_country_check CHECK ((country ~ '^([A-Z]{2}|\*)$'::text))
constraint route.route_pkey PRIMARY KEY (id)
constraint route.route_priority_check CHECK (((priority >= 0) AND (priority <= 1000000)))
constraint route.route_types_check CHECK ((types <@ ARRAY['transactional'::text, 'otp'::text, 'promotional'::text]))
constraint route.route_weight_check CHECK (((weight >= 0) AND (weight <= 1000)))
index CREATE UNIQUE INDEX route_pkey ON public.route USING btree (id)
table schema_migration
column schema_migration.applied_at timestamp with time zone not null
column schema_migration.checksum text not null
column schema_migration.name text not null
column schema_migration.number integer not null
constraint schema_migration.schema_migration_pkey PRIMARY KEY (number)
index CREATE UNIQUE INDEX schema_migration_pkey ON public.schema_migration USING btree (number)
table sealed_text
column sealed_text.expires_at timestamp with time zone not null
column sealed_text.message_id uuid not null
column sealed_text.sealed bytea not null
constraint sealed_text.sealed_text_pkey PRIMARY KEY (message_id)
index CREATE INDEX sealed_text_expiry ON public.sealed_text USING btree (expires_at)
index CREATE UNIQUE INDEX sealed_text_pkey ON public.sealed_text USING btree (message_id)
table service
column service.demo_created_at timestamp with time zone
column service.manual_clock_at timestamp with time zone
column service.only_row boolean not null default true
column service.routing_revision bigint not null default 0
column service.sms_enabled boolean not null default true
constraint service.service_only_row_check CHECK (only_row)
constraint service.service_pkey PRIMARY KEY (only_row)
index CREATE UNIQUE INDEX service_pkey ON public.service USING btree (only_row)
table service_minute
column service_minute.accepted integer not null
column service_minute.delivered integer not null
column service_minute.minute timestamp with time zone not null
column service_minute.otp_seconds integer not null
column service_minute.otp_waiting integer not null
column service_minute.promotional_seconds integer not null
column service_minute.promotional_waiting integer not null
column service_minute.refused integer not null
column service_minute.rejected integer not null
column service_minute.sent integer not null
column service_minute.transactional_seconds integer not null
column service_minute.transactional_waiting integer not null
column service_minute.undelivered integer not null
constraint service_minute.service_minute_pkey PRIMARY KEY (minute)
index CREATE UNIQUE INDEX service_minute_pkey ON public.service_minute USING btree (minute)
table session
column session.address text
column session.created_at timestamp with time zone not null
column session.ends_at timestamp with time zone not null
column session.id uuid not null
column session.last_seen_at timestamp with time zone not null
column session.person_id uuid not null
column session.signed_in_at timestamp with time zone not null
column session.token_hash secret_hash not null
column session.user_agent text
constraint session.session_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(id)
constraint session.session_pkey PRIMARY KEY (id)
constraint session.session_times CHECK (((ends_at > last_seen_at) AND (last_seen_at >= signed_in_at) AND (signed_in_at >= created_at)))
constraint session.session_token_hash_key UNIQUE (token_hash)
constraint session.session_user_agent_check CHECK ((length(user_agent) <= 300))
index CREATE INDEX session_end ON public.session USING btree (ends_at)
index CREATE INDEX session_person ON public.session USING btree (person_id, id)
index CREATE UNIQUE INDEX session_pkey ON public.session USING btree (id)
index CREATE UNIQUE INDEX session_token_hash_key ON public.session USING btree (token_hash)
table smpp_carrier
column smpp_carrier.carrier_id uuid not null
column smpp_carrier.settings jsonb not null
constraint smpp_carrier.smpp_carrier_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE
constraint smpp_carrier.smpp_carrier_pkey PRIMARY KEY (carrier_id)
constraint smpp_carrier.smpp_carrier_settings_check CHECK (((settings ?& ARRAY['host'::text, 'port'::text, 'systemId'::text]) AND ((length((settings ->> 'host'::text)) >= 1) AND (length((settings ->> 'host'::text)) <= 253)) AND ((((settings ->> 'port'::text))::integer >= 1) AND (((settings ->> 'port'::text))::integer <= 65535)) AND ((length((settings ->> 'systemId'::text)) >= 1) AND (length((settings ->> 'systemId'::text)) <= 15))))
index CREATE UNIQUE INDEX smpp_carrier_pkey ON public.smpp_carrier USING btree (carrier_id)
table submission partition by RANGE (message_id) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.05)
column submission.answered_at timestamp with time zone statistics 10
column submission.carrier_id uuid not null statistics 10
column submission.carrier_message_id text statistics 10
column submission.claimed_at timestamp with time zone not null statistics 10
column submission.command_status bigint statistics 10
column submission.cost_e4 bigint statistics 10
column submission.error message_error not null default ''::text statistics 10
column submission.message_id uuid not null statistics 10
column submission.ordinal submission_ordinal not null statistics 10
column submission.outcome submission_outcome not null statistics 10
column submission.receipts receipt_rule statistics 10
column submission.reference text statistics 10
column submission.resend_allowed_at timestamp with time zone statistics 10
column submission.segment smallint not null statistics 10
column submission.segment_count segment_count not null statistics 10
column submission.sender sender_address statistics 10
column submission.to_number text not null statistics 10
constraint submission.submission_accepted_reference CHECK ((((outcome)::text = 'accepted'::text) OR (reference IS NULL)))
constraint submission.submission_answered CHECK ((answered_at IS NOT NULL))
constraint submission.submission_error CHECK ((((outcome)::text = 'rejected'::text) = ((error)::text <> ''::text)))
constraint submission.submission_pkey PRIMARY KEY (message_id, ordinal, segment)
constraint submission.submission_segment CHECK (((segment >= 1) AND (segment <= (segment_count)::smallint)))
index CREATE INDEX submission_reference ON ONLY public.submission USING btree (carrier_id, reference, claimed_at) WHERE (reference IS NOT NULL)
index CREATE INDEX submission_unknown ON ONLY public.submission USING btree (claimed_at) WHERE ((outcome)::text = 'unknown'::text)
index CREATE UNIQUE INDEX submission_pkey ON ONLY public.submission USING btree (message_id, ordinal, segment)
table successful_request
column successful_request.at timestamp with time zone not null
column successful_request.client_id uuid not null
column successful_request.id uuid not null
column successful_request.is_sampled boolean not null
column successful_request.key_hint text not null
column successful_request.method text not null
column successful_request.milliseconds integer not null
column successful_request.route text not null
column successful_request.status smallint not null
column successful_request.workspace_id uuid not null
constraint successful_request.successful_request_pkey PRIMARY KEY (workspace_id, id)
index CREATE INDEX successful_request_id ON public.successful_request USING btree (id)
index CREATE UNIQUE INDEX successful_request_pkey ON public.successful_request USING btree (workspace_id, id)
table template
column template.carrier_fields jsonb not null default '{}'::jsonb
column template.created_at timestamp with time zone not null
column template.id uuid not null
column template.name text not null
column template.reason text
column template.reviewed_at timestamp with time zone
column template.status text not null
column template.text text not null
column template.type text not null
column template.workspace_id uuid not null
constraint template.template_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
constraint template.template_pkey PRIMARY KEY (id)
constraint template.template_reason CHECK (((status = 'rejected'::text) = (reason IS NOT NULL)))
constraint template.template_reviewed CHECK (((status = 'pending'::text) = (reviewed_at IS NULL)))
constraint template.template_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text])))
constraint template.template_text_check CHECK (((length(text) >= 1) AND (length(text) <= 1000)))
constraint template.template_type_check CHECK ((type = ANY (ARRAY['transactional'::text, 'otp'::text, 'promotional'::text])))
constraint template.template_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
index CREATE INDEX template_status ON public.template USING btree (status, id)
index CREATE INDEX template_workspace ON public.template USING btree (workspace_id, id)
index CREATE UNIQUE INDEX template_pkey ON public.template USING btree (id)
table unknown_key_request with (fillfactor=50)
column unknown_key_request.address text not null
column unknown_key_request.id uuid not null
column unknown_key_request.key_hint text not null
column unknown_key_request.last_at timestamp with time zone not null
column unknown_key_request.method text not null
column unknown_key_request.minute timestamp with time zone not null
column unknown_key_request.requests bigint not null
column unknown_key_request.route text not null
constraint unknown_key_request.unknown_key_request_pkey PRIMARY KEY (minute, address)
index CREATE UNIQUE INDEX unknown_key_request_id ON public.unknown_key_request USING btree (id)
index CREATE UNIQUE INDEX unknown_key_request_pkey ON public.unknown_key_request USING btree (minute, address)
table unmatched_receipt
column unmatched_receipt.carrier_id uuid not null
column unmatched_receipt.code text not null
column unmatched_receipt.id uuid not null
column unmatched_receipt.raw text not null
column unmatched_receipt.received_at timestamp with time zone not null
column unmatched_receipt.reference text not null
column unmatched_receipt.state text not null
column unmatched_receipt.to_number text not null
constraint unmatched_receipt.unmatched_receipt_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE
constraint unmatched_receipt.unmatched_receipt_pkey PRIMARY KEY (carrier_id, id)
index CREATE UNIQUE INDEX unmatched_receipt_pkey ON public.unmatched_receipt USING btree (carrier_id, id)
table unmatched_receipt_hour with (fillfactor=50)
column unmatched_receipt_hour.carrier_id uuid not null
column unmatched_receipt_hour.hour timestamp with time zone not null
column unmatched_receipt_hour.receipts bigint not null
constraint unmatched_receipt_hour.unmatched_receipt_hour_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carrier(id) ON DELETE CASCADE
constraint unmatched_receipt_hour.unmatched_receipt_hour_pkey PRIMARY KEY (carrier_id, hour)
index CREATE UNIQUE INDEX unmatched_receipt_hour_pkey ON public.unmatched_receipt_hour USING btree (carrier_id, hour)
table usage_day with (fillfactor=50)
column usage_day.client_id uuid not null
column usage_day.cost_e4 bigint not null
column usage_day.country text not null default ''::text
column usage_day.day date not null
column usage_day.messages bigint not null
column usage_day.refunded_e4 bigint not null default 0
column usage_day.refunds bigint not null default 0
column usage_day.segments bigint not null
column usage_day.type text not null
column usage_day.workspace_id uuid not null
constraint usage_day.usage_day_pkey PRIMARY KEY (client_id, day, type, country)
index CREATE INDEX usage_day_workspace ON public.usage_day USING btree (workspace_id, day)
index CREATE UNIQUE INDEX usage_day_pkey ON public.usage_day USING btree (client_id, day, type, country)
table verified_number
column verified_number.to_number text not null
column verified_number.verified_at timestamp with time zone not null
column verified_number.workspace_id uuid not null
constraint verified_number.verified_number_pkey PRIMARY KEY (workspace_id, to_number)
index CREATE INDEX verified_number_age ON public.verified_number USING btree (verified_at)
index CREATE UNIQUE INDEX verified_number_pkey ON public.verified_number USING btree (workspace_id, to_number)
table webhook_attempt
column webhook_attempt.attempted_at timestamp with time zone not null statistics 10
column webhook_attempt.claim_id uuid not null statistics 10
column webhook_attempt.delivery_id uuid not null statistics 10
column webhook_attempt.failure text statistics 10
column webhook_attempt.milliseconds integer not null statistics 10
column webhook_attempt.response_body bytea statistics 10
column webhook_attempt.status_code smallint statistics 10
column webhook_attempt.url text not null statistics 10
constraint webhook_attempt.webhook_attempt_pkey PRIMARY KEY (delivery_id, claim_id)
constraint webhook_attempt.webhook_attempt_result CHECK (((status_code IS NULL) <> (failure IS NULL)))
index CREATE UNIQUE INDEX webhook_attempt_pkey ON public.webhook_attempt USING btree (delivery_id, claim_id)
table webhook_claim with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0)
column webhook_claim.attempts smallint[] not null
column webhook_claim.claims integer[] not null
column webhook_claim.delivery_ids uuid[] not null
column webhook_claim.id uuid not null
column webhook_claim.leased_until timestamp with time zone not null
column webhook_claim.retry boolean not null
constraint webhook_claim.webhook_claim_deliveries CHECK (((cardinality(delivery_ids) > 0) AND (cardinality(attempts) = cardinality(delivery_ids)) AND (cardinality(claims) = cardinality(delivery_ids))))
constraint webhook_claim.webhook_claim_pkey PRIMARY KEY (id)
index CREATE UNIQUE INDEX webhook_claim_pkey ON public.webhook_claim USING btree (id)
table webhook_event with (autovacuum_analyze_scale_factor=0.2, autovacuum_analyze_threshold=10000, fillfactor=50)
column webhook_event.body bytea not null statistics 0
column webhook_event.client_id uuid not null statistics 10
column webhook_event.created_at timestamp with time zone not null statistics 10
column webhook_event.delivery_id uuid not null statistics 10
column webhook_event.ended_at timestamp with time zone statistics 10
column webhook_event.failure_reason event_failure_reason statistics 10
column webhook_event.message_id uuid statistics 10
column webhook_event.name event_name not null statistics 10
column webhook_event.state event_state not null default 'pending'::text statistics 10
column webhook_event.webhook_status event_status statistics 10
constraint webhook_event.webhook_event_ended CHECK ((((state)::text = 'pending'::text) = (ended_at IS NULL)))
constraint webhook_event.webhook_event_failure CHECK ((((state)::text = 'failed'::text) = (failure_reason IS NOT NULL)))
constraint webhook_event.webhook_event_message_status CHECK (((message_id IS NULL) = (webhook_status IS NULL)))
constraint webhook_event.webhook_event_pkey PRIMARY KEY (delivery_id)
index CREATE INDEX webhook_event_client ON public.webhook_event USING btree (client_id, delivery_id)
index CREATE INDEX webhook_event_failed ON public.webhook_event USING btree (client_id, delivery_id) WHERE (failure_reason IS NOT NULL)
index CREATE INDEX webhook_event_failed_id ON public.webhook_event USING btree (delivery_id) WHERE (failure_reason IS NOT NULL)
index CREATE UNIQUE INDEX webhook_event_once ON public.webhook_event USING btree (message_id, webhook_status) WHERE (message_id IS NOT NULL)
index CREATE UNIQUE INDEX webhook_event_pkey ON public.webhook_event USING btree (delivery_id)
table webhook_half_hour with (fillfactor=50)
column webhook_half_hour.client_id uuid not null
column webhook_half_hour.failed integer not null
column webhook_half_hour.half_hour timestamp with time zone not null
column webhook_half_hour.succeeded integer not null
constraint webhook_half_hour.webhook_half_hour_pkey PRIMARY KEY (client_id, half_hour)
index CREATE INDEX webhook_half_hour_age ON public.webhook_half_hour USING btree (half_hour)
index CREATE UNIQUE INDEX webhook_half_hour_pkey ON public.webhook_half_hour USING btree (client_id, half_hour)
table webhook_health with (fillfactor=50)
column webhook_health.attempted_at timestamp with time zone not null
column webhook_health.client_id uuid not null
column webhook_health.failing_notified_at timestamp with time zone
column webhook_health.failing_since timestamp with time zone
column webhook_health.failure text
column webhook_health.failures integer not null
column webhook_health.first_failure_at timestamp with time zone
column webhook_health.milliseconds integer not null
column webhook_health.notify_after timestamp with time zone
column webhook_health.recovered_notified_at timestamp with time zone
column webhook_health.status_code smallint
column webhook_health.succeeded_at timestamp with time zone
constraint webhook_health.webhook_health_failing CHECK (((failing_since IS NULL) OR (failing_since = first_failure_at)))
constraint webhook_health.webhook_health_failures CHECK (((failures = 0) = (first_failure_at IS NULL)))
constraint webhook_health.webhook_health_pkey PRIMARY KEY (client_id)
constraint webhook_health.webhook_health_result CHECK (((status_code IS NULL) <> (failure IS NULL)))
index CREATE INDEX webhook_health_failing ON public.webhook_health USING btree (failing_since) WHERE (failing_since IS NOT NULL)
index CREATE INDEX webhook_health_notified ON public.webhook_health USING btree (client_id) WHERE (failing_notified_at > COALESCE(recovered_notified_at, '-infinity'::timestamp with time zone))
index CREATE UNIQUE INDEX webhook_health_pkey ON public.webhook_health USING btree (client_id)
table webhook_queue with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0)
column webhook_queue.attempts smallint not null default 0 statistics 10
column webhook_queue.claims integer not null default 0 statistics 10
column webhook_queue.client_id uuid not null statistics 10
column webhook_queue.delivery_id uuid not null statistics 10
column webhook_queue.due_at timestamp with time zone not null statistics 10
column webhook_queue.retry boolean not null default false statistics 10
column webhook_queue.workspace_id uuid not null statistics 10
constraint webhook_queue.webhook_queue_pkey PRIMARY KEY (delivery_id)
index CREATE INDEX webhook_queue_due ON public.webhook_queue USING btree (retry, workspace_id, client_id, due_at)
index CREATE UNIQUE INDEX webhook_queue_pkey ON public.webhook_queue USING btree (delivery_id)
table workspace with (fillfactor=50)
column workspace.allowed_countries text[]
column workspace.allowed_types message_types not null
column workspace.balance_e4 amount_e4 not null default 0
column workspace.carrier_fields jsonb not null default '{}'::jsonb
column workspace.country country_code not null
column workspace.created_at timestamp with time zone not null
column workspace.currency currency_code not null
column workspace.id uuid not null
column workspace.last_ledger_entry_id uuid
column workspace.max_clients client_count not null default 20
column workspace.monthly_credit_e4 amount_e4 not null
column workspace.name title not null
column workspace.otp_price_e4 price_e4 not null
column workspace.period date not null
column workspace.period_ends_at timestamp with time zone not null
column workspace.plan workspace_plan not null
column workspace.promotional_price_e4 price_e4 not null
column workspace.status workspace_status not null
column workspace.templates_required boolean not null
column workspace.templates_revision bigint not null default 0
column workspace.time_zone text not null
column workspace.transactional_price_e4 price_e4 not null
column workspace.updated_at timestamp with time zone not null
constraint workspace.promotional_is_enterprise CHECK ((((plan)::text = 'enterprise'::text) OR (NOT ('promotional'::text = ANY ((allowed_types)::text[])))))
constraint workspace.workspace_pkey PRIMARY KEY (id)
index CREATE INDEX workspace_period_end ON public.workspace USING btree (period_ends_at)
index CREATE UNIQUE INDEX workspace_pkey ON public.workspace USING btree (id)
CREATE OR REPLACE FUNCTION public.expect_rows(changed bigint, wanted bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if changed <> wanted then
    raise exception 'expected % rows to change, and % did', wanted, changed using errcode = 'P0004';
  end if;
end
$function$

CREATE OR REPLACE FUNCTION public.filled_bucket(tokens double precision, size double precision, since timestamp with time zone, until timestamp with time zone)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE
RETURN LEAST(size, (tokens + (size * GREATEST((0)::double precision, date_part('epoch'::text, (until - since))))))

CREATE OR REPLACE FUNCTION public.reject_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'table % is append-only', tg_table_name;
end
$function$

