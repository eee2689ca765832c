-- D76: message counts by day of the workspace's time zone. Quarter hours that are no longer shown as such are moved here.
create table message_day (
  workspace_id uuid not null,
  day date not null,
  accepted bigint not null,
  delivered bigint not null,
  undelivered bigint not null,
  failed bigint not null,
  primary key (workspace_id, day)
) with (fillfactor = 50);
create index message_day_age on message_day (day);
