-- Converts a database with the migrations 1 to 54 of the versions before 0.1.0 to migrations/0100_initial.sql, in one transaction under the
-- lock of migrations. Renames change only the catalog. The table submission is written once, because most of its rows have an outcome
-- with a new name; other tables have few rows to change.

-- All locks first: a wait for a lock must not follow the long statements.
do $$
declare it regclass;
begin
  for it in select oid from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by relname loop
    execute format('lock table %s in access exclusive mode', it);
  end loop;
end
$$;

-- Functions and domains

alter function refuse_change() rename to reject_change;
create or replace function reject_change() returns trigger language plpgsql as $$
begin
  raise exception 'table % is append-only', tg_table_name;
end
$$;

alter domain code_stage rename to otp_stage;

-- Outcomes of submissions

alter domain submission_outcome rename to old_submission_outcome;
create domain submission_outcome as text check (
  value in ('open', 'accepted', 'throttled', 'other_carrier', 'unwritten', 'unknown', 'retryable', 'rejected'));

drop index submission_reference, submission_unknown;
alter table submission rename column of_segments to segment_count;
alter table submission rename column let_go_at to resend_allowed_at;
alter table submission rename constraint submission_check to submission_segment;
alter table submission rename constraint submission_check1 to submission_answered;
alter table submission
  drop constraint submission_check2,
  drop constraint submission_check3,
  alter column outcome drop default,
  alter column outcome type submission_outcome using case outcome::text
    when 'taken' then 'accepted' when 'refused' then 'rejected' when 'slow' then 'throttled'
    when 'elsewhere' then 'other_carrier' when 'retry_twice' then 'retryable' else outcome::text end,
  alter column outcome set default 'open',
  add constraint submission_error check ((outcome = 'rejected') = (error <> '')),
  add constraint submission_accepted_reference check (outcome = 'accepted' or reference is null);
create index submission_reference on submission (carrier_id, reference, claimed_at) where reference is not null;
create index submission_unknown on submission (claimed_at) where outcome = 'unknown';

alter table carrier_test rename column asked_at to started_at;
alter table carrier_test rename constraint carrier_test_check to carrier_test_message;
alter table carrier_test rename constraint carrier_test_check1 to carrier_test_answer;
alter table carrier_test rename constraint carrier_test_check2 to carrier_test_answer_of_message;
alter table carrier_test rename constraint carrier_test_check3 to carrier_test_report;
alter table carrier_test
  alter column outcome type submission_outcome using case outcome::text
    when 'taken' then 'accepted' when 'refused' then 'rejected' when 'slow' then 'throttled'
    when 'elsewhere' then 'other_carrier' when 'retry_twice' then 'retryable' else outcome::text end;
drop domain old_submission_outcome;

-- Only the part with the outcomes: the body of a request may have any field. The text of jsonb is unambiguous, since a quote within a value
-- is escaped.
create function pg_temp.rename_outcomes(settings jsonb) returns jsonb language sql immutable
return replace(replace(replace(replace(replace(settings::text,
  '"outcome": "taken"', '"outcome": "accepted"'), '"outcome": "refused"', '"outcome": "rejected"'),
  '"outcome": "slow"', '"outcome": "throttled"'), '"outcome": "elsewhere"', '"outcome": "other_carrier"'),
  '"outcome": "retry_twice"', '"outcome": "retryable"')::jsonb;
update smpp_carrier set settings = jsonb_set(settings, '{statusOverrides}', pg_temp.rename_outcomes(settings -> 'statusOverrides'))
where settings ? 'statusOverrides';
update http_carrier set description = jsonb_set(description, '{answer}', pg_temp.rename_outcomes(description -> 'answer'))
where description ? 'answer';
drop function pg_temp.rename_outcomes(jsonb);

-- Webhooks

alter domain event_state drop constraint event_state_check;
alter domain event_end rename to event_failure_reason;
alter domain event_failure_reason drop constraint event_end_check;
alter table webhook_event rename column dead_because to failure_reason;
alter table webhook_event rename constraint webhook_event_check to webhook_event_message_status;
alter table webhook_event rename constraint webhook_event_check1 to webhook_event_ended;
alter table webhook_event drop constraint webhook_event_check2;
update webhook_event set state = 'failed', failure_reason = case failure_reason::text
  when 'postings_used_up' then 'retries_exhausted' when 'refused_for_good' then 'rejected'
  when 'never_finished' then 'abandoned' else failure_reason::text end
where failure_reason is not null;
alter domain event_state add constraint event_state_check check (value in ('pending', 'delivered', 'failed'));
alter domain event_failure_reason add constraint event_failure_reason_check
  check (value in ('retries_exhausted', 'rejected', 'no_url', 'abandoned'));
alter table webhook_event add constraint webhook_event_failure check ((state = 'failed') = (failure_reason is not null));
alter index webhook_event_dead rename to webhook_event_failed;

alter table webhook_queue rename column postings to attempts;

alter table posting rename to webhook_attempt;
alter table webhook_attempt rename column posted_at to attempted_at;
alter table webhook_attempt rename column answer_head to response_body;
alter table webhook_attempt rename constraint posting_pkey to webhook_attempt_pkey;
alter table webhook_attempt rename constraint posting_check to webhook_attempt_result;

alter table listening_event rename column told to is_forwarded;
alter table listening_event rename constraint listening_event_check to listening_event_message_status;
alter index listening_event_waiting rename to listening_event_pending;

-- Carriers and delivery. The check before this script made sure that secrets_sealed holds the secrets of every carrier.

alter table carrier
  drop constraint carrier_secrets,
  drop column password_sealed,
  drop column tls_key_sealed,
  alter column secrets_sealed set not null;

alter table carrier_bind rename column holder to process_id;
alter table carrier_bind rename column works to is_working;
alter table carrier_bind rename column at_rate to is_at_rate_limit;
alter table carrier_bind rename column worked_at to last_working_at;
alter table carrier_bind rename constraint carrier_bind_check to carrier_bind_lease;
alter table carrier_bind rename constraint carrier_bind_check1 to carrier_bind_idle;
alter table carrier_bind rename constraint carrier_bind_check2 to carrier_bind_bound;
alter table carrier_bind rename constraint carrier_bind_check3 to carrier_bind_last_error;
alter table carrier_bind rename constraint carrier_bind_check4 to carrier_bind_working;
alter table carrier_bind rename constraint carrier_bind_mode_check1 to carrier_bind_mode_check;

alter table carrier_test_bind rename column holder to process_id;
alter table carrier_test_bind rename column sends to sends_message;
alter table carrier_test_bind rename column begun_at to started_at;
alter table carrier_test_bind rename constraint carrier_test_bind_check to carrier_test_bind_answer;
alter index carrier_test_bind_holder rename to carrier_test_bind_process;
update carrier_test_bind set steps = (
    select jsonb_agg(step - 'told' || jsonb_build_object('detail', step -> 'told') order by nth)
    from jsonb_array_elements(steps) with ordinality as it (step, nth)
  )
  where steps <> '[]';

alter table carrier_capture rename column asked_at to started_at;
alter table carrier_capture rename constraint carrier_capture_check to carrier_capture_period;

alter table captured_frame rename column holder to process_id;
alter table captured_frame rename column nth to sequence;
alter table captured_frame rename column called to is_callback;

alter table carrier_figure rename to carrier_stats;
alter table carrier_stats rename column taken to accepted;
alter table carrier_stats rename column refused to rejected;
alter table carrier_stats rename column strays to unexpected_answers;
alter table carrier_stats rename column unread to unreadable_receipts;
alter table carrier_stats rename column denied to account_rejections;
alter table carrier_stats rename column unreadable to unreadable_answers;
alter table carrier_stats rename column shared_ids to duplicate_message_ids;
alter table carrier_stats rename constraint carrier_figure_pkey to carrier_stats_pkey;
alter table carrier_stats rename constraint carrier_figure_carrier_id_fkey to carrier_stats_carrier_id_fkey;
alter index carrier_figure_slot rename to carrier_stats_slot;

alter table delivery_process rename column seen_until to alive_until;
alter table delivery_process rename column taken to accepted;
alter table delivery_process rename column refused to rejected;
alter table receipt_process rename column seen_until to alive_until;

alter table delivery_queue rename constraint delivery_queue_check to delivery_queue_claim;
alter index delivery_queue_turn rename to delivery_queue_order;

alter table orphan_report rename to pending_report;
alter table pending_report rename column looks to match_attempts;
alter table pending_report rename column look_at to next_match_at;
alter table pending_report rename column by_text to is_by_text;
alter table pending_report rename constraint orphan_report_pkey to pending_report_pkey;
alter index orphan_report_reference rename to pending_report_reference;
alter index orphan_report_number rename to pending_report_number;
alter index orphan_report_look rename to pending_report_next_match;

alter table unmatched_hour rename to unmatched_receipt_hour;
alter table unmatched_receipt_hour rename constraint unmatched_hour_pkey to unmatched_receipt_hour_pkey;
alter table unmatched_receipt_hour rename constraint unmatched_hour_carrier_id_fkey to unmatched_receipt_hour_carrier_id_fkey;

alter table receipt_poll rename column asked to attempts;
alter table receipt_poll rename column said to last_state;
alter table receipt_poll rename constraint receipt_poll_asked_check to receipt_poll_attempts_check;

alter table carrier_price_list rename constraint carrier_price_list_check to carrier_price_list_pairs;
alter table route rename column sorted to is_queue_updated;
alter table route rename constraint route_check to route_catch_all;

-- Messages and OTPs

alter table deadline_mark rename to expiry_sweep;
alter table expiry_sweep rename constraint deadline_mark_pkey to expiry_sweep_pkey;
alter table expiry_sweep rename constraint deadline_mark_kind_check to expiry_sweep_kind_check;

alter table message_quarter rename to message_quarter_hour;
alter table message_quarter_hour rename column quarter to quarter_hour;
alter table message_quarter_hour rename column part to counter_shard;
alter table message_quarter_hour rename constraint message_quarter_pkey to message_quarter_hour_pkey;
alter index message_quarter_age rename to message_quarter_hour_age;

alter table inbound_message rename constraint inbound_message_check to inbound_message_owner;
alter table inbound_message rename constraint inbound_message_check1 to inbound_message_reply;
alter table inbound_part rename constraint inbound_part_check to inbound_part_number;

alter table otp_caller rename column asked_at to requested_at;
alter table window_hit rename to rate_limit_hit;
alter table rate_limit_hit rename constraint window_hit_pkey to rate_limit_hit_pkey;
alter index window_hit_age rename to rate_limit_hit_age;

-- Domains that were renamed, or whose usual name was in use when they were created, have a constraint of another name.
do $$
declare it record;
begin
  for it in
    select typname, conname from pg_constraint join pg_type on pg_type.oid = contypid
    where typnamespace = current_schema()::regnamespace and contype = 'c' and conname <> typname || '_check'
  loop
    execute format('alter domain %I rename constraint %I to %I', it.typname, it.conname, it.typname || '_check');
  end loop;
end
$$;

-- Workspaces, clients and people

alter table service rename column demo_made_at to demo_created_at;
alter table country rename constraint country_check to country_quiet_hours;
alter table workspace rename column last_entry_id to last_ledger_entry_id;
alter table client rename constraint client_check to client_previous_webhook_secret;
alter table client rename constraint client_check1 to client_test_otp_code;
alter table client_counter rename column part to counter_shard;
alter table template rename constraint template_check to template_reason;
alter table template rename constraint template_check1 to template_reviewed;

alter table workspace_start rename to onboarding;
alter table onboarding rename column message_at to message_sent_at;
alter table onboarding rename column webhook_at to webhook_delivered_at;
alter table onboarding rename constraint workspace_start_pkey to onboarding_pkey;
alter table onboarding rename constraint workspace_start_workspace_id_fkey to onboarding_workspace_id_fkey;

alter table wrong_sign_in rename to failed_sign_in;
alter table failed_sign_in rename column about to subject_hash;
alter table failed_sign_in rename column times to attempts;
alter table failed_sign_in rename column last_at to last_attempt_at;
alter table failed_sign_in rename constraint wrong_sign_in_pkey to failed_sign_in_pkey;
alter table failed_sign_in rename constraint wrong_sign_in_times_check to failed_sign_in_attempts_check;
alter index wrong_sign_in_last rename to failed_sign_in_last_attempt;

alter table challenge rename column place to requester;
alter index challenge_place rename to challenge_requester;
alter table invitation rename column made_by to created_by;
alter table invitation rename constraint invitation_check to invitation_has_email;
alter table invitation rename constraint invitation_check1 to invitation_of_member;
alter table invitation rename constraint invitation_check2 to invitation_of_recovery;
alter table owner_token rename constraint owner_token_check to owner_token_operator;
alter table person rename constraint person_check to person_totp;
alter table session rename constraint session_check to session_times;

-- Columns that were added to these tables later have no target yet.
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
analyze submission;

delete from schema_migration;
