-- What people sign in with beside a password.

alter table person
  -- Sealed; it counts once a code of it was shown.
  add column totp_sealed bytea,
  add column totp_confirmed_at timestamptz,
  -- No code works twice: the half minute of the last one.
  add column totp_step bigint not null default 0,
  add check (totp_confirmed_at is null or totp_sealed is not null);

-- Each works once, in place of a code.
create table recovery_code (
  person_id uuid not null references person,
  code_hash secret_hash not null,
  primary key (person_id, code_hash)
);

create table passkey (
  id uuid primary key,
  person_id uuid not null references person,
  name title not null,
  credential_id bytea not null unique check (length(credential_id) between 1 and 1023),
  public_key bytea not null check (length(public_key) <= 4096),
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkey_person on passkey (person_id, id);

-- What somebody who is about to sign in was asked, until it is answered or too late. It need not outlive a crash.
create unlogged table challenge (
  id uuid primary key,
  kind text not null check (kind in ('passkey_new', 'passkey', 'oidc')),
  person_id uuid,
  details jsonb not null,
  expires_at timestamptz not null
);
create index challenge_end on challenge (expires_at);

-- Who comes by a provider need not open the link.
create index invitation_email on invitation (email) where email is not null;
