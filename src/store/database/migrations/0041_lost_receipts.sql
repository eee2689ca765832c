-- Calls with receipts that were refused or could not be read, and answers to our questions for them: what doctor warns of.
alter table carrier_figure add column unread bigint not null default 0;
