-- no-transaction
-- exchanges_one_open has taken its place.
DROP INDEX CONCURRENTLY exchanges_open;
