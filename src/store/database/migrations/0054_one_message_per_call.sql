-- One call carries one message. A carrier whose description puts many into one is switched off until it is described again.
update carrier set enabled = false
where id in (select carrier_id from http_carrier where jsonb_typeof(description -> 'many') = 'object');
update http_carrier set description = description - 'many';
