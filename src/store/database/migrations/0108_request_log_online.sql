-- Successful API requests, and requests without a valid key.
alter table refused_request add column key_hint text;

-- Requests with status 2xx or 3xx: all up to a limit per workspace and minute, above it a sample. Deleted by id, which begins with the time.
create table successful_request (
  workspace_id uuid not null,
  id uuid not null,
  client_id uuid not null,
  key_hint text not null,
  method text not null,
  route text not null,
  status smallint not null,
  milliseconds integer not null,
  is_sampled boolean not null,
  at timestamptz not null,
  primary key (workspace_id, id)
);
create index successful_request_id on successful_request (id);

-- One row per address and minute; the row without an address counts the addresses above the limit. The request is the first one.
create table unknown_key_request (
  minute timestamptz not null,
  address text not null,
  id uuid not null,
  key_hint text not null,
  method text not null,
  route text not null,
  requests bigint not null,
  last_at timestamptz not null,
  primary key (minute, address)
) with (fillfactor = 50);
create unique index unknown_key_request_id on unknown_key_request (id);
