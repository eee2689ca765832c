-- Nearly all entries are reservations; the others are found without walking past those. The ledger is written with every send, so the
-- index is built while that goes on.
create index concurrently ledger_entry_rare on ledger_entry (workspace_id, kind, id) where kind <> 'reservation';
