create index concurrently orphan_report_number on orphan_report (carrier_id, to_number);
