-- D60: what went over the wire to a carrier for a while, without codes and passwords. Whoever holds a bind writes down its part.
create table carrier_capture (
  id uuid primary key,
  carrier_id uuid not null references carrier (id) on delete cascade,
  asked_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > asked_at)
);
create index carrier_capture_carrier on carrier_capture (carrier_id, id);
create index carrier_capture_end on carrier_capture (ends_at);

create table captured_frame (
  capture_id uuid not null references carrier_capture (id) on delete cascade,
  holder uuid not null,
  nth integer not null,
  at timestamptz not null,
  bind smallint not null,
  outgoing boolean not null,
  bytes bytea not null,
  decoded jsonb not null,
  primary key (capture_id, holder, nth)
);
