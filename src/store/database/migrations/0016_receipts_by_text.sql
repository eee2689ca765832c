-- Any handset can write what looks like a receipt: known by its text alone, it is one only where the carrier is said to send such.
alter table carrier add column receipts_by_text boolean not null default false;
-- ... and counts from the message's own number only, also when it is matched later.
alter table orphan_report add column by_text boolean not null default false;
