-- D52: by what a carrier over HTTP is found when it calls with its receipts. The address itself is sealed with its other secrets.
alter table http_carrier add column callback_hash text unique;
