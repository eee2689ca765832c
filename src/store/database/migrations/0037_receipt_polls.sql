-- D54: what carriers over HTTP are asked about, each with the time of its next question; while somebody asks, that time is when his lease
-- ends. All that a question needs stands here, so that whoever looks for what is due reads one table. What was asked least often goes first.
create table receipt_poll (
  message_id uuid not null,
  ordinal integer not null,
  segment smallint not null,
  carrier_id uuid not null,
  carrier_message_id text,
  reference text not null,
  to_number text not null,
  due_at timestamptz not null,
  asked smallint not null default 0 check (asked >= 0),
  -- The last state that was stored: the same again is no news.
  said text not null default '',
  ends_at timestamptz not null,
  primary key (message_id, ordinal, segment)
);
create index receipt_poll_due on receipt_poll (carrier_id, asked, due_at);
create index receipt_poll_end on receipt_poll (ends_at);
