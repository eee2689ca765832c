-- Usage and carrier cost by country too. Empty: usage before this migration, whose country was not stored.
alter table usage_day add column country text not null default '',
  drop constraint usage_day_pkey, add primary key (client_id, day, type, country);
alter table carrier_cost_day add column country text not null default '',
  drop constraint carrier_cost_day_pkey, add primary key (client_id, day, type, country);
