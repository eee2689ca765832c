-- The network or person that asked for a challenge: a flood evicts only the challenges of its own place.
alter table challenge add column place text not null default '';
create index challenge_place on challenge (place, id);
