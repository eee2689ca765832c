-- What processes that deliver nothing took in of receipts in the last minute: `delivery_process` counts who shares the binds.
create table receipt_process (
  id uuid primary key,
  seen_until timestamptz not null,
  delivered integer not null,
  undelivered integer not null
) with (fillfactor = 50);

-- Answers that fit no request: a sign that a carrier answers late, or twice.
alter table carrier_figure add column strays bigint not null default 0;
