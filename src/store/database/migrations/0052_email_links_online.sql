-- D70: a person proves a new e-mail address by a link that is mailed to it. A row stays until it expires, also after the link was used
-- or replaced, because it counts toward the mails of the last hour.
create table email_link (
  id uuid primary key,
  secret_hash secret_hash not null unique,
  person_id uuid not null references person,
  -- The new address.
  email email_address not null,
  -- Whether the link still works.
  is_open boolean not null default true,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
-- A later link replaces the one before.
create unique index email_link_open on email_link (person_id) where is_open;
create index email_link_person on email_link (person_id, created_at);
create index email_link_email on email_link (email, created_at);
create index email_link_end on email_link (expires_at);
