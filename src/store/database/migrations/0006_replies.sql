-- An owner's list of replies: those of the workspace, newest first.
create index inbound_message_workspace on inbound_message (workspace_id, id);
