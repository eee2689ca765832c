-- D59: what an operator lets go out once more though a carrier may have taken it; and as which message one that failed was sent anew,
-- once at most.
alter table submission add column let_go_at timestamptz;

create table resent_message (
  message_id uuid primary key,
  resent_as uuid not null unique,
  resent_at timestamptz not null
);
