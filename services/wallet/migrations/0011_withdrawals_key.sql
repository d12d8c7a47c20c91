-- no-transaction
-- See 0010; outside of a transaction there is one statement a file.
CREATE INDEX CONCURRENTLY withdrawals_key ON withdrawals (key_id, id);
