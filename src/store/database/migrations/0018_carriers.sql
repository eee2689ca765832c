-- After how many submissions in a row, each to another number, that were not answered, or refused for a reason that lies with the
-- carrier, it counts as broken; null is never.
alter table carrier add column break_after_unanswered smallint default 5 check (break_after_unanswered between 1 and 1000);
alter table carrier add column break_after_refused smallint default 20 check (break_after_refused between 1 and 1000);
alter table carrier alter column break_after_unanswered drop default, alter column break_after_refused drop default;
-- The simulator does what the number says, so its answers tell nothing of itself.
update carrier set break_after_unanswered = null, break_after_refused = null where starts_with(system_id, 'simulator-');

-- Whether this bind takes messages, as its holder has decided; and where its circuit is broken, why, and since when it is as it is.
alter table carrier_bind add column works boolean not null default false;
alter table carrier_bind add column broken_reason text;
alter table carrier_bind add column health_since timestamptz;
alter table carrier_bind add check (not works or (state = 'bound' and broken_reason is null));

-- Its holder has more to send than the carrier has room for.
alter table carrier_bind add column at_rate boolean not null default false;
-- Whether the next carrier takes what this one, at its rate, has no room for.
alter table route add column overflow boolean not null default false;
-- Its part of what routes of equal priority serve; one without stands by.
alter table route add column weight smallint not null default 0 check (weight between 0 and 1000);
