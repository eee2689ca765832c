-- Somebody at a computer of their own hears a client's events for a while (D45): who listens and until when, and what is for them.
alter table client
  add column listening_by text,
  add column listening_session uuid,
  add column listening_until timestamptz,
  add constraint client_listening_check
    check (num_nonnulls(listening_by, listening_session, listening_until) in (0, 3));

-- The order in which the events of a message were written is that of their positions: its row is locked meanwhile.
create table listening_event (
  position bigint generated always as identity primary key,
  client_id uuid not null,
  delivery_id uuid not null,
  name event_name not null,
  message_id uuid,
  webhook_status event_status,
  body bytea not null,
  created_at timestamptz not null,
  told boolean not null default false,
  check ((message_id is null) = (webhook_status is null))
);
create unique index listening_event_once on listening_event (message_id, webhook_status) where message_id is not null;
create index listening_event_waiting on listening_event (client_id, position) where not told;
create index listening_event_created on listening_event (created_at);
create index client_listening on client (listening_until) where listening_until is not null;
