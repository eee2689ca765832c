-- Webhook deliveries in batches: a claim is one row, and the queue has only deliveries that wait.
lock table webhook_queue in access exclusive mode;

-- Deliveries that a process is posting, or posts next. Deleted with the last of their results. After `leased_until`, deliveries
-- without an attempt of this claim return to the queue.
create table webhook_claim (
  id uuid primary key,
  leased_until timestamptz not null,
  retry boolean not null,
  -- One entry per delivery in each array. The attempts of this round, and the claims since the last of them, with this one.
  delivery_ids uuid[] not null,
  attempts smallint[] not null,
  claims int[] not null,
  constraint webhook_claim_deliveries check (
    cardinality(delivery_ids) > 0 and cardinality(attempts) = cardinality(delivery_ids) and cardinality(claims) = cardinality(delivery_ids))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

insert into webhook_claim (id, leased_until, retry, delivery_ids, attempts, claims)
select claim_id, max(due_at), bool_or(retry), array_agg(delivery_id order by delivery_id), array_agg(attempts order by delivery_id),
  array_agg(claims order by delivery_id)
from webhook_queue where claim_id is not null group by claim_id;

delete from webhook_queue where claim_id is not null;
alter table webhook_queue drop column claim_id;

-- Room for the update of each event in its page, so that it writes no index entries. For pages that are written from now on.
alter table webhook_event set (fillfactor = 50);
