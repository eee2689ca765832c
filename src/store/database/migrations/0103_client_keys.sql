-- A client has one or two active API keys, so that a key can be replaced without an outage (D71).
lock table client in access exclusive mode;

-- §5.1: the hash of a key, and the prefix that people recognize it by. A revoked key has no row.
create table client_key (
  id uuid primary key,
  client_id uuid not null references client,
  -- A third active key of a client has no slot.
  slot smallint not null check (slot in (1, 2)),
  hash bytea not null check (length(hash) = 32),
  prefix text not null,
  created_at timestamptz not null,
  -- With the client in the index, the lookup of a request reads no page of this table.
  constraint client_key_hash unique (hash) include (client_id),
  constraint client_key_slot unique (client_id, slot)
);

-- A key from before has the id of its client.
insert into client_key (id, client_id, slot, hash, prefix, created_at)
select client.id, client.id, 1, api_key_hash, api_key_prefix, coalesce(rotated.at, created_at)
from client left join (
  select subject, max(at) as at from audit_entry where action = 'client.key_rotated' group by subject
) as rotated on rotated.subject = client.id::text;

alter table client drop column api_key_hash, drop column api_key_prefix;
