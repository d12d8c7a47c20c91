-- no-transaction
-- Lines of accounts other than the available balance: revenue, and what withdrawals paid out. Postings go on meanwhile.
CREATE INDEX CONCURRENTLY transactions_without_flow_type ON transactions (user_id, type, seq) WHERE flow_type IS NULL;
