-- Lists over all workspaces. Common changes of a row do not write these indexes: a message gets a rare status once, an event fails once,
-- and the rows of an OTP day change only their count.
create index concurrently message_rare_status on message (rare_status, id) where rare_status is not null;
-- message_rare_status contains the messages of test clients too.
drop index concurrently message_test;
create index concurrently webhook_event_failed_id on webhook_event (delivery_id) where failure_reason is not null;
create index concurrently otp_day_service on otp_day (day) where operator_prefix = '';
