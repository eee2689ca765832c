-- A reservation pays for all messages of its workspace that were accepted together, and each of them names it: the ledger
-- grows with the batches, and the messages are its lines.
alter table message add column reservation_id uuid;
alter table ledger_entry add column messages integer;

update message set reservation_id = entry.id from ledger_entry entry
where entry.message_id = message.id and entry.kind = 'reservation';
alter table ledger_entry disable trigger ledger_entry_is_append_only;
alter table ledger_entry drop constraint ledger_entry_check;
update ledger_entry set messages = 1, message_id = null where kind = 'reservation';
alter table ledger_entry enable trigger ledger_entry_is_append_only;

alter table ledger_entry
  add constraint ledger_entry_reservation check ((kind = 'reservation') = (messages is not null) and messages > 0),
  add constraint ledger_entry_of_message check (
    case kind when 'reservation' then message_id is null when 'refund' then message_id is not null else true end);

-- What a token bucket holds after a while: it fills at its size per second, to the brim (D26).
create function filled_bucket(tokens double precision, size double precision, since timestamptz, until timestamptz)
returns double precision language sql immutable
return least(size, tokens + size * greatest(0, date_part('epoch', until - since)));
