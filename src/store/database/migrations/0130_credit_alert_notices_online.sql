-- D79: when the low balance of a workspace was last announced. It outlives the alerts, so replacing them does not announce it again.
create table credit_alert_notice (
  workspace_id uuid primary key references workspace (id),
  notified_at timestamptz,
  posted_at timestamptz
);
