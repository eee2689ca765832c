-- Figures of the service by minute, and the time of the next connection attempt.
alter table carrier_bind add column retry_at timestamptz;

-- One row per minute, written at its end by the first process that finds it missing. Kept for 31 days, which is 44,640 rows.
create table service_minute (
  minute timestamptz primary key,
  -- Messages.
  accepted integer not null,
  -- Segments, by the answer of the carrier and by the receipt.
  sent integer not null,
  rejected integer not null,
  delivered integer not null,
  undelivered integer not null,
  -- API requests.
  refused integer not null,
  -- Messages in the queue, and the age of the oldest due message in seconds; 0 without one.
  otp_waiting integer not null,
  otp_seconds integer not null,
  transactional_waiting integer not null,
  transactional_seconds integer not null,
  promotional_waiting integer not null,
  promotional_seconds integer not null
);
