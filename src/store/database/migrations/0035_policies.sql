-- D62: how is chosen among the routes of a country.
alter table country add column policy text not null default 'weighted' check (policy in ('weighted', 'priority', 'cheapest'));

-- What became of segments, by carrier, prefix and five minutes, for the figures of the last hour. Processes add what they have counted
-- every few seconds; what one had counted and not yet written when it was killed is lost.
create table carrier_figure (
  carrier_id uuid not null references carrier on delete cascade,
  prefix text not null,
  slot timestamptz not null,
  taken bigint not null,
  refused bigint not null,
  unanswered bigint not null,
  delivered bigint not null,
  undelivered bigint not null,
  answer_ms bigint not null,
  receipts bigint not null,
  receipt_ms bigint not null,
  primary key (carrier_id, prefix, slot)
) with (fillfactor = 50);
create index carrier_figure_slot on carrier_figure (slot);
