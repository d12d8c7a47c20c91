-- no-transaction
-- What is in a payment batch. Withdrawals are asked for meanwhile.
CREATE INDEX CONCURRENTLY withdrawals_payment_batch ON withdrawals (payment_batch_id, id) WHERE payment_batch_id IS NOT NULL;
