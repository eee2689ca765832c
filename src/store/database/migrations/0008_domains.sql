-- What a column may hold, as domains. A CHECK of a table is parsed anew by every statement that writes the table, and all of them
-- are judged on every row, whichever column changes: a seventh of what PostgreSQL did for a small batch went into that. A domain
-- is parsed once per connection and judged only where its column is written. What joins columns stays a CHECK.
-- Rewrites these tables once.

create domain amount_e4 as bigint check (value between 0 and 9000000000000000);
create domain price_e4 as bigint check (value between 0 and 1000000000000);
create domain charge_e4 as bigint check (value > 0);
create domain country_code as text check (value ~ '^[A-Z]{2}$');
create domain currency_code as text check (value ~ '^[A-Z]{3}$');
create domain title as text check (length(value) between 1 and 100);
create domain workspace_plan as text check (value in ('standard', 'enterprise'));
create domain workspace_status as text check (value in ('pending', 'active', 'suspended'));
create domain message_type as text check (value in ('transactional', 'otp', 'promotional'));
create domain message_types as text[] check (value <@ array['transactional', 'otp', 'promotional']);
create domain message_status as text check (
  value in ('queued', 'submitting', 'submitted', 'sent', 'delivered', 'undelivered', 'failed', 'rejected', 'test'));
create domain message_error as text check (
  value in ('', 'network_unavailable', 'delivery_timeout', 'carrier_rejected', 'invalid_number', 'delivery_failed'));
create domain text_encoding as text check (value in ('GSM7', 'UCS2'));
create domain segment_count as smallint check (value between 1 and 6);
create domain delivery_lane as smallint check (value between 0 and 2);
create domain ledger_kind as text check (value in ('grant', 'topUp', 'reservation', 'refund', 'expiry'));
create domain submission_number as int check (value >= 1);
create domain submission_outcome as text check (
  value in ('open', 'taken', 'slow', 'elsewhere', 'unwritten', 'unknown', 'twice', 'refused'));
create domain event_name as text check (value in ('message.status', 'message.inbound'));
create domain event_status as text check (value in ('queued', 'sent', 'delivered', 'undelivered', 'failed'));
create domain event_state as text check (value in ('pending', 'delivered', 'dead'));
create domain event_end as text check (value in ('postings_used_up', 'refused_for_good', 'no_url', 'never_finished'));

alter table workspace
  drop constraint workspace_name_check, alter column name type title,
  drop constraint workspace_country_check, alter column country type country_code,
  drop constraint workspace_currency_check, alter column currency type currency_code,
  drop constraint workspace_plan_check, alter column plan type workspace_plan,
  drop constraint workspace_status_check, alter column status type workspace_status,
  drop constraint workspace_monthly_credit_e4_check, alter column monthly_credit_e4 type amount_e4,
  drop constraint workspace_transactional_price_e4_check, alter column transactional_price_e4 type price_e4,
  drop constraint workspace_otp_price_e4_check, alter column otp_price_e4 type price_e4,
  drop constraint workspace_promotional_price_e4_check, alter column promotional_price_e4 type price_e4,
  drop constraint workspace_allowed_types_check, alter column allowed_types type message_types,
  drop constraint workspace_balance_e4_check, alter column balance_e4 type amount_e4;

-- A view stands in the way of a change of what it shows; it comes back as it was.
drop view ledger_line;
alter table ledger_entry
  drop constraint ledger_entry_kind_check, alter column kind type ledger_kind,
  drop constraint ledger_entry_amount_e4_check, alter column amount_e4 type charge_e4,
  drop constraint ledger_entry_balance_e4_check, alter column balance_e4 type amount_e4;
create view ledger_line as
  select workspace_id, id, period, at, credited as account, amount_e4 from ledger_entry
    cross join lateral (select case kind when 'reservation' then 'spent' when 'expiry' then 'expired' else 'available' end) c (credited)
  union all
  select workspace_id, id, period, at, debited as account, -amount_e4 from ledger_entry
    cross join lateral (select case kind when 'refund' then 'spent' when 'grant' then 'funding' when 'topUp' then 'funding' else 'available' end) d (debited);

alter table message
  drop constraint message_type_check, alter column type type message_type,
  drop constraint message_encoding_check, alter column encoding type text_encoding,
  drop constraint message_segments_check, alter column segments type segment_count,
  drop constraint message_cost_e4_check, alter column cost_e4 type amount_e4,
  drop constraint message_status_check, alter column status type message_status,
  drop constraint message_error_check, alter column error type message_error;

alter table delivery_queue
  drop constraint delivery_queue_lane_check, alter column lane type delivery_lane;

alter table submission
  drop constraint submission_number_check, alter column number type submission_number,
  drop constraint submission_of_segments_check, alter column of_segments type segment_count,
  drop constraint submission_outcome_check, alter column outcome type submission_outcome,
  drop constraint submission_error_check, alter column error type message_error;

alter table webhook_event
  drop constraint webhook_event_name_check, alter column name type event_name,
  drop constraint webhook_event_webhook_status_check, alter column webhook_status type event_status,
  drop constraint webhook_event_state_check, alter column state type event_state,
  drop constraint webhook_event_dead_because_check, alter column dead_because type event_end;

-- What the planner knew of the columns went with their types.
analyze workspace, ledger_entry, message, delivery_queue, submission, webhook_event;
