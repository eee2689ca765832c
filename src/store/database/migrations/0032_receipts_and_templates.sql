-- The approved template that a message was made from or matched, where one was needed.
alter table message add column template_id uuid;

-- What its carrier's receipts were asked for when it went out; null is one for each segment.
create domain receipt_rule as text check (value in ('one', 'none'));
alter table submission add column receipts receipt_rule;
