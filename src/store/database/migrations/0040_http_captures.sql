-- D60 for carriers over HTTP: which call a frame belongs to, and whether the carrier made it; and what each step of a test came to.
alter table captured_frame
  add column exchange integer,
  add column called boolean not null default false;
alter table carrier_test_bind add column steps jsonb not null default '[]';
