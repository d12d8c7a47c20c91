-- no-transaction
-- Verifications of the chain of reports. Reports go on being written meanwhile.
CREATE INDEX CONCURRENTLY delivery_reports_batch ON delivery_reports (batch_id) WHERE batch_id IS NOT NULL;
