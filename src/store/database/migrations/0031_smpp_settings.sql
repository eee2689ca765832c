-- What few carriers want otherwise than most: judged by the service, with what is usual where nothing stands.
alter table carrier add column smpp_settings jsonb not null default '{}';
-- Of the certificate that we show ourselves by.
alter table carrier add column tls_key_sealed bytea;

-- Which of its carrier's hosts a bind stands with.
alter table carrier_bind add column peer text;

-- What carriers ask for beside a message: values by name.
alter table workspace add column carrier_fields jsonb not null default '{}';
alter table template add column carrier_fields jsonb not null default '{}';
