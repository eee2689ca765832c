create index concurrently submission_unknown on submission (claimed_at) where outcome = 'unknown';
