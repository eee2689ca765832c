-- Submissions that a version before 0.1.0 left without an answer: the table can then be partitioned with its checks. First, because it reads the
-- whole table and must not hold the lock below meanwhile.
update submission set outcome = 'unknown', answered_at = claimed_at where answered_at is null;

-- D44: the texts of all messages up to this id are deleted.
alter table expiry_sweep drop constraint expiry_sweep_kind_check;
alter table expiry_sweep add constraint expiry_sweep_kind_check check (kind in ('otp', 'other', 'texts'));
insert into expiry_sweep (kind, swept_to) values ('texts', '00000000-0000-0000-0000-000000000000');
