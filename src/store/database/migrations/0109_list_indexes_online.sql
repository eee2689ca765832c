-- Refused requests of all workspaces, replies without a client, and the replies of a number.
create index concurrently refused_request_id on refused_request (id);
create index concurrently inbound_message_unassigned on inbound_message (id) where client_id is null;
create index concurrently inbound_message_from on inbound_message (workspace_id, from_number, id);
