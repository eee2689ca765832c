-- What is of one protocol stands with that protocol; the secrets of a carrier of either kind are one sealed value, made from the columns
-- password_sealed and tls_key_sealed by the first start, which has the keyring.
create table smpp_carrier (
  carrier_id uuid primary key references carrier on delete cascade,
  settings jsonb not null check (
    settings ?& array['host', 'port', 'systemId'] and length(settings ->> 'host') between 1 and 253 and (settings ->> 'port')::integer between 1 and 65535
    and length(settings ->> 'systemId') between 1 and 15)
);

insert into smpp_carrier (carrier_id, settings)
select id, smpp_settings || jsonb_build_object(
  'host', host, 'port', port, 'tls', tls, 'systemId', system_id, 'systemType', system_type, 'bindMode', bind_mode,
  'answerIdFormat', answer_id_format, 'reportIdFormat', report_id_format, 'receiptsByText', receipts_by_text,
  'alphabet', alphabet, 'longMessages', long_messages, 'sourceTon', source_ton, 'sourceNpi', source_npi,
  'statusOverrides', status_overrides)
from carrier where kind = 'smpp';

alter table carrier
  drop column host, drop column port, drop column tls, drop column system_id, drop column system_type, drop column bind_mode,
  drop column answer_id_format, drop column report_id_format, drop column receipts_by_text, drop column alphabet,
  drop column long_messages, drop column source_ton, drop column source_npi, drop column status_overrides,
  drop column smpp_settings,
  alter column kind drop default,
  alter column password_sealed drop not null,
  add column secrets_sealed bytea,
  add constraint carrier_secrets check (num_nonnulls(secrets_sealed, password_sealed) = 1);
