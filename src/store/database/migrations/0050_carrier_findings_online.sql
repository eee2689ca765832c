-- What doctor goes by: submissions refused for a reason of the account or the carrier, answers that could not be read, and long messages
-- whose segments all got the same id (D56).
alter table carrier_figure
  add column denied bigint not null default 0,
  add column unreadable bigint not null default 0,
  add column shared_ids bigint not null default 0;
