-- no-transaction
-- Plans of a user by the time of their put. Plans go on being written meanwhile.
CREATE INDEX CONCURRENTLY orders_paid ON orders (user_id, put_at) WHERE put_at IS NOT NULL;
