-- D86: the last request of a workspace for credit. The next one replaces it.
create table credit_request (
  workspace_id uuid primary key references workspace (id),
  amount_e4 amount_e4 not null check (amount_e4 > 0),
  note text,
  status text not null check (status in ('open', 'granted', 'declined', 'withdrawn')),
  requested_at timestamptz not null,
  decided_at timestamptz,
  -- Why it was declined.
  reason text,
  operators_mailed_at timestamptz,
  owners_mailed_at timestamptz,
  -- When a mail that could not be sent is tried again.
  mail_after timestamptz,
  check ((status = 'open') = (decided_at is null)),
  check (reason is null or status = 'declined')
);
create index credit_request_open on credit_request (requested_at) where status = 'open';
