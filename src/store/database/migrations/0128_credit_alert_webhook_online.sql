-- D85: a low-balance alert is also an event for the webhook of a client of the workspace.
create table credit_alert_webhook (
  workspace_id uuid primary key references workspace (id),
  client_id uuid not null references client (id)
);
alter table credit_alert add column posted_at timestamptz;
-- Not validated, because every stored name is in the shorter list.
alter domain event_name drop constraint event_name_check;
alter domain event_name add constraint event_name_check
  check (value in ('message.status', 'message.inbound', 'workspace.low_credit')) not valid;
