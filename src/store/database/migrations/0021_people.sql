-- People who sign in, what they may do where, and the links by which they come in. Of passwords, tokens and links only hashes are kept.

create domain email_address as text check (length(value) <= 254 and value ~ '^[^\s@]+@[^\s@]+$' and value = lower(value));
create domain workspace_role as text check (value in ('owner', 'developer', 'viewer'));
create domain secret_hash as bytea check (length(value) = 32);

create table person (
  id uuid primary key,
  email email_address not null unique,
  -- When it was last shown that who signs in reads what is sent there.
  email_verified_at timestamptz,
  name title not null,
  language text check (language in ('en', 'ne')),
  is_operator boolean not null default false,
  password_hash text check (password_hash like '$argon2id$%'),
  created_at timestamptz not null
);
create index person_operator on person (id) where is_operator;

create table membership (
  person_id uuid not null references person,
  workspace_id uuid not null references workspace,
  role workspace_role not null,
  created_at timestamptz not null,
  primary key (person_id, workspace_id)
);
create index membership_workspace on membership (workspace_id, person_id);

-- A row is there for as long as it may be used: who signs out or is signed out loses it.
create table session (
  id uuid primary key,
  person_id uuid not null references person,
  token_hash secret_hash not null unique,
  created_at timestamptz not null,
  -- When a password or the like was last asked for.
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null,
  ends_at timestamptz not null,
  address text,
  user_agent text check (length(user_agent) <= 300),
  check (ends_at > last_seen_at and last_seen_at >= signed_in_at and signed_in_at >= created_at)
);
create index session_person on session (person_id, id);
create index session_end on session (ends_at);

-- A link that works once: to become an operator, to join a workspace, or to choose a new password. It goes when it is used.
create table invitation (
  id uuid primary key,
  secret_hash secret_hash not null unique,
  kind text not null check (kind in ('operator', 'member', 'recovery')),
  -- null: whoever has the link says it.
  email email_address,
  workspace_id uuid references workspace,
  role workspace_role,
  person_id uuid references person,
  -- Who has it reads what is sent to the address.
  is_mailed boolean not null,
  made_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check (kind = 'operator' or email is not null),
  check ((kind = 'member') = (workspace_id is not null) and (workspace_id is null) = (role is null)),
  check ((kind = 'recovery') = (person_id is not null))
);
create index invitation_workspace on invitation (workspace_id, id) where workspace_id is not null;
create index invitation_person on invitation (person_id, id) where person_id is not null;
create index invitation_operator on invitation (id) where kind = 'operator';
create index invitation_end on invitation (expires_at);

-- What was tried in vain, by a hash of the e-mail or of the place it was tried from. It need not outlive a crash.
create unlogged table wrong_sign_in (
  about secret_hash primary key,
  times int not null check (times > 0),
  last_at timestamptz not null
);
create index wrong_sign_in_last on wrong_sign_in (last_at);

-- A program's token has a role; one of no workspace is an operator's.
alter table owner_token
  alter column workspace_id drop not null,
  add column role text not null default 'owner' check (role in ('operator', 'owner', 'developer', 'viewer')),
  add column expires_at timestamptz,
  add column last_used_at timestamptz,
  add check ((role = 'operator') = (workspace_id is null));
alter table owner_token alter column role drop default;
