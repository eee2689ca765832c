-- These grow by thousands of rows a second, all alike. A look at a tenth of what ANALYZE samples by itself tells the planner as
-- much, and it need not look every few seconds: that took a quarter of a second each time.
do $$
declare a record;
begin
  for a in
    select attrelid::regclass as of, attname as name from pg_attribute
    where attrelid in ('message'::regclass, 'delivery_queue'::regclass, 'ledger_entry'::regclass, 'submission'::regclass,
        'report'::regclass, 'webhook_event'::regclass, 'webhook_queue'::regclass, 'posting'::regclass)
      and attnum > 0 and not attisdropped
  loop
    execute format('alter table %s alter column %I set statistics 10', a.of, a.name);
  end loop;
end $$;
-- Their texts are never searched.
alter table message alter column text set statistics 0;
alter table webhook_event alter column body set statistics 0;
alter table message set (autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 10000);
alter table webhook_event set (autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 10000);
