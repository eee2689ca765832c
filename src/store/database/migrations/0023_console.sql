-- What the console shows of traffic: how messages fared by the hour, and what became of requests.

-- A day may hold a million messages, so nobody counts them when a chart is read: whoever stores messages and changes of status adds
-- what a batch of them comes to, in the same transaction. By quarters of an hour, since an hour of Kathmandu (+05:45) is none of UTC.
-- Who counts what has rows of its own (part), so that nobody waits for another's commit. Under way is what was accepted less all that
-- has ended.
create table message_quarter (
  workspace_id uuid not null,
  quarter timestamptz not null,
  part smallint not null,
  accepted bigint not null default 0,
  delivered bigint not null default 0,
  undelivered bigint not null default 0,
  failed bigint not null default 0,
  primary key (workspace_id, quarter, part)
) with (fillfactor = 50);
create index message_quarter_age on message_quarter (quarter);

-- Of what is there already, a week: no chart shows more. Ids are in the order of time (D12).
with newest as (
  select created_at - interval '8 days' as since from message order by id desc limit 1
), recent as (
  select lpad(to_hex((extract(epoch from since) * 1000)::bigint), 12, '0') || repeat('0', 20) as id, since from newest
)
insert into message_quarter (workspace_id, quarter, part, accepted, delivered, undelivered, failed)
select workspace_id, to_timestamp(floor(extract(epoch from created_at) / 900) * 900), 3, count(*),
  count(*) filter (where status = 'delivered'), count(*) filter (where status = 'undelivered'),
  count(*) filter (where status in ('failed', 'rejected'))
from recent join message on message.id >= recent.id::uuid and created_at >= since
where status <> 'test' group by 1, 2;

-- Requests of API clients that were refused or failed: never a body, a key or a number. Every one is counted; of each workspace only
-- so many in an hour are kept one by one.
create table refused_request (
  workspace_id uuid not null,
  id uuid not null,
  client_id uuid not null,
  method text not null,
  route text not null,
  status smallint not null,
  code text not null,
  milliseconds integer not null,
  at timestamptz not null,
  primary key (workspace_id, id)
);
create index refused_request_age on refused_request (at);

create table request_count (
  workspace_id uuid not null,
  hour timestamptz not null,
  method text not null,
  route text not null,
  status smallint not null,
  code text not null,
  requests bigint not null,
  last_at timestamptz not null,
  primary key (workspace_id, hour, method, route, status, code)
) with (fillfactor = 50);
create index request_count_age on request_count (hour);
