-- D34: what a carrier gets as sender where a message's own cannot be sent; null is the last resort of the service.
alter table carrier add column default_sender text check (length(default_sender) between 1 and 15);

-- D34: the sender as it went to the carrier; null where that is not known.
create domain sender_address as text check (value ~ '^[ -~]{1,20}$');
alter table submission add column sender sender_address;
-- So far it was the digits, or the first eleven characters. As far back as a reply may answer (D18).
update submission set sender = was.sender
from message cross join lateral (
  select case when message.sender ~ '^[+]?[0-9]+$' then ltrim(message.sender, '+') else trim(left(message.sender, 11)) end
) as was (sender)
where message.id = submission.message_id and was.sender ~ '^[ -~]{1,20}$'
  and claimed_at > (select max(claimed_at) - interval '30 days' from submission);

-- D13: a late report moves updated_at, so that it does not tell any more when the message was undelivered.
alter table message add column undelivered_at timestamptz;
