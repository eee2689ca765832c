-- The delivery engine in two trips per batch.

-- For what must hold and is known to: a batch whose statements travel with their commit is judged by the database itself.
create function expect_rows(changed bigint, wanted bigint) returns void language plpgsql as $$
begin
  if changed <> wanted then
    raise exception 'expected % rows to change, and % did', wanted, changed using errcode = 'P0004';
  end if;
end
$$;

-- Counters in parts: who records answers and who records reports do not wait for each other's commit.
alter table client_counter add column part smallint not null default 0;
alter table client_counter drop constraint client_counter_pkey;
alter table client_counter add primary key (client_id, part);

-- Being submitted is what a claim on its place in the queue says.
update message set status = 'queued' where status = 'submitting';
