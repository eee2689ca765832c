-- What /readyz writes: a row for each process, so that a database that can only be read is noticed.
create table readiness_probe (
  process_id uuid primary key,
  written_at timestamptz not null
);

-- The ledger is listed in the order of its ids. They are made under the workspace's lock, each above the last one, whatever the
-- clocks of the processes say.
alter table workspace add column last_entry_id uuid;
update workspace set last_entry_id = (
  select id from ledger_entry where workspace_id = workspace.id order by id desc limit 1
);

-- When the sweep of deadlines last went: should time go back behind it, what is made from then on lies before the mark.
alter table deadline_mark add column swept_at timestamptz not null default '-infinity';
