-- Carriers of another kind than SMPP (D48): what one is, is a description. `password_sealed` holds its secrets, all in one, so that they
-- are sealed anew with everything else; host and port are those of its address, for people to see.
alter table carrier add column kind text not null default 'smpp' check (kind in ('smpp', 'http'));
alter table carrier drop constraint carrier_system_id_check;
alter table carrier add constraint carrier_system_id_check check (length(system_id) <= 15 and (kind = 'http') = (system_id = ''));

create table http_carrier (
  carrier_id uuid primary key references carrier on delete cascade,
  description jsonb not null,
  secret_names text[] not null check (cardinality(secret_names) <= 20)
);
