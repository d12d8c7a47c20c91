-- no-transaction
-- orders_open has its rows, too.
DROP INDEX CONCURRENTLY orders_running;
