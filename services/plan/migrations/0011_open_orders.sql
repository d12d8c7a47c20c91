-- no-transaction
-- Plans of a user that wallet holds money for. Plans go on being written meanwhile.
CREATE INDEX CONCURRENTLY orders_open ON orders (user_id, id)
WHERE status IN ('matching', 'putting', 'put_finished', 'waiting_settlement');
