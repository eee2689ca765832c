-- The balances below which the owners of a workspace are alerted (D79). Replaces the one alert of a workspace.
create table credit_alert (
  workspace_id uuid not null references workspace (id),
  below_e4 amount_e4 not null,
  -- Since when the balance is below; null: it is not, so the next crossing alerts again.
  crossed_at timestamptz,
  notified_at timestamptz,
  -- When a mail that could not be sent is tried again.
  notify_after timestamptz,
  primary key (workspace_id, below_e4)
);
insert into credit_alert (workspace_id, below_e4) select id, low_credit_e4 from workspace where low_credit_e4 is not null;
alter table workspace drop column low_credit_e4;
