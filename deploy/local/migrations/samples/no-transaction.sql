-- no-transaction
CREATE INDEX CONCURRENTLY wallets_token ON wallets (token);
