-- A handset may cut a character in two between the parts of a long reply. Half of one is no text to PostgreSQL; JSON can write it.
alter table inbound_part rename column text to text_json;
update inbound_part set text_json = to_json(text_json)::text;
