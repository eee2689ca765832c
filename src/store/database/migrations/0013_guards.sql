-- D39: a cap per number counts what was sent before it was set; what was sent since then stands in window_hit.
alter table client add column hourly_cap_since timestamptz;

-- D40: when a bind was last bound. One that never was counts from when it was made.
alter table carrier_bind add column worked_at timestamptz not null default '1970-01-01 00:00:00+00';
alter table carrier_bind alter column worked_at drop default;
