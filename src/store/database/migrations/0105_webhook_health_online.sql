-- The health of webhook endpoints. Every batch of attempts updates one row per endpoint in each table.

create table webhook_health (
  client_id uuid primary key,
  -- Of the latest attempt.
  attempted_at timestamptz not null,
  milliseconds int not null,
  status_code smallint,
  -- Why there is no response.
  failure text,
  succeeded_at timestamptz,
  -- Since the last success.
  failures int not null,
  first_failure_at timestamptz,
  -- Only while the endpoint is failing: most updates do not change it, so they write no index entry.
  failing_since timestamptz,
  -- The last mails to the owners, and when a mail that could not be sent is tried again.
  failing_notified_at timestamptz,
  recovered_notified_at timestamptz,
  notify_after timestamptz,
  constraint webhook_health_result check ((status_code is null) <> (failure is null)),
  constraint webhook_health_failures check ((failures = 0) = (first_failure_at is null)),
  constraint webhook_health_failing check (failing_since is null or failing_since = first_failure_at)
) with (fillfactor = 50);
create index webhook_health_failing on webhook_health (failing_since) where failing_since is not null;
create index webhook_health_notified on webhook_health (client_id) where failing_notified_at > coalesce(recovered_notified_at, '-infinity');

-- The attempts of each half hour. Rows older than a day are deleted.
create table webhook_half_hour (
  client_id uuid not null,
  half_hour timestamptz not null,
  succeeded int not null,
  failed int not null,
  primary key (client_id, half_hour)
) with (fillfactor = 50);
create index webhook_half_hour_age on webhook_half_hour (half_hour);
