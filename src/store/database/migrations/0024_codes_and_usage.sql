-- What people look at is summed as it happens: a chart of a million codes reads a few hundred rows.

-- One-time codes by day of the workspace's zone and by operator prefix, and under the prefix '' all of them. A code counts for the day
-- it was sent, in every stage that it reaches. Each stage has rows of its own: whoever accepts, reports and verifies do not wait for
-- each other's commit.
create domain code_stage as text check (value in ('sent', 'delivered', 'verified'));
create table otp_day (
  workspace_id uuid not null,
  day date not null,
  operator_prefix text not null,
  stage code_stage not null,
  codes bigint not null,
  primary key (workspace_id, day, operator_prefix, stage)
) with (fillfactor = 50);
create index otp_day_whole on otp_day (workspace_id, day) where operator_prefix = '';
create index otp_day_age on otp_day (day);

insert into otp_day (workspace_id, day, operator_prefix, stage, codes)
select workspace_id, day, coalesce(operator_prefix, ''), stage, count(*)
from (
  select client.workspace_id, (stat.sent_at at time zone workspace.time_zone)::date as day, stat.operator_prefix,
    unnest(array['sent', case when message.status = 'delivered' then 'delivered' end,
      case when stat.verified_at is not null then 'verified' end]) as stage
  from otp_send_stat stat
    join client on client.id = stat.client_id
    join workspace on workspace.id = client.workspace_id
    left join message on message.id = stat.id
) as reached
where stage is not null
group by grouping sets ((workspace_id, day, stage), (workspace_id, day, operator_prefix, stage));

-- What the pumping guard has seen, one row per hold, for people to look into: how many codes it refused, and how many passed because
-- it only watches. The hold itself is forgotten after a day.
create table pumping_finding (
  id uuid primary key,
  workspace_id uuid not null,
  client_id uuid not null,
  scope text not null,
  rule text not null check (rule in ('R1', 'R2', 'R3')),
  reason text not null,
  strikes integer not null,
  struck_at timestamptz not null,
  held_until timestamptz not null,
  refused bigint not null,
  passed bigint not null,
  unique (client_id, scope, struck_at)
) with (fillfactor = 70);
create index pumping_finding_workspace on pumping_finding (workspace_id, id);
create index pumping_finding_age on pumping_finding (struck_at);

-- D10: a refund goes back to where its charge was, here to its day. Those there are already are summed first: the table is shut to
-- whoever accepts only for as long as they are written.
create temp table refunded on commit drop as
  select message.client_id, (message.created_at at time zone workspace.time_zone)::date as day, message.type::text as type,
    count(*) as refunds, sum(entry.amount_e4) as amount_e4
  from ledger_entry entry
    join message on message.id = entry.message_id
    join workspace on workspace.id = entry.workspace_id
  where entry.kind = 'refund'
  group by 1, 2, 3;
alter table usage_day add column refunds bigint not null default 0, add column refunded_e4 bigint not null default 0;
update usage_day set refunds = refunded.refunds, refunded_e4 = refunded.amount_e4
from refunded
where usage_day.client_id = refunded.client_id and usage_day.day = refunded.day and usage_day.type = refunded.type;

-- Below this balance a workspace's people are warned; null is never.
alter table workspace add column low_credit_e4 amount_e4;
