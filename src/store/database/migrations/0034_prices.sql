-- What carriers charge per segment, by the beginning of a number (D61): a whole list per carrier, read and replaced as one. The revision
-- tells whoever has read it that there is another.
create table carrier_price_list (
  carrier_id uuid primary key references carrier on delete cascade,
  revision integer not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  prefixes text[] not null,
  prices_e4 bigint[] not null,
  updated_at timestamptz not null,
  check (cardinality(prefixes) = cardinality(prices_e4)),
  check (cardinality(prefixes) <= 1000)
);

-- What the carrier charges for what it took, in the currency of the workspace; null where no price was known. (A domain would have
-- every row written anew.)
alter table submission add column cost_e4 bigint;

-- The same by the day, client and type of the charge, as in usage_day: a table of its own, for whoever accepts shall not wait for
-- whoever records answers.
create table carrier_cost_day (
  workspace_id uuid not null,
  client_id uuid not null,
  day date not null,
  type text not null,
  segments bigint not null,
  cost_e4 bigint not null,
  primary key (client_id, day, type)
) with (fillfactor = 50);
create index carrier_cost_day_workspace on carrier_cost_day (workspace_id, day);
