-- D67: a token belongs to the person who created it. Tokens created with the operator token of the settings belong to nobody.
alter table owner_token add column person_id uuid references person;

-- The audit log names the creator of each token: a person, or a token, whose owner then owns the new token too.
with recursive created (token_id, creator_id) as (
  select subject::uuid, split_part(actor, ':', 2)::uuid from audit_entry
  where action = 'owner_token.created' and actor like '%:%'
), owned (token_id, person_id) as (
  select created.token_id, person.id from created join person on person.id = created.creator_id
  union
  select created.token_id, owned.person_id from created join owned on owned.token_id = created.creator_id
)
update owner_token set person_id = owned.person_id from owned where owner_token.id = owned.token_id;

-- A person who was removed or demoted before this migration keeps no token either.
update owner_token set revoked_at = coalesce(owner_token.last_used_at, owner_token.created_at)
from person
where person.id = owner_token.person_id and owner_token.revoked_at is null and not person.is_operator and not exists (
  select from membership
  where membership.person_id = person.id and membership.workspace_id = owner_token.workspace_id
    and array_position(array['owner', 'developer', 'viewer'], membership.role::text)
      <= array_position(array['owner', 'developer', 'viewer'], owner_token.role)
);

create index owner_token_person on owner_token (person_id) where person_id is not null;
