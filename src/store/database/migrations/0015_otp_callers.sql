-- §8.2: when each calling address last asked a client to send codes, the oldest first. It is counted at the door, with the key, so
-- that every request counts whatever becomes of it (D39). It looks back a minute: nothing that must outlive a crash.
create unlogged table otp_caller (
  client_id uuid not null,
  caller text not null,
  -- Never more than the limit: what is past it does not count.
  asked_at timestamptz[] not null,
  -- How many of the latest batch were within the limit.
  granted int not null,
  primary key (client_id, caller)
) with (fillfactor = 50);
