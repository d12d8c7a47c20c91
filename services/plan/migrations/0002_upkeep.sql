-- Rows that are updated far more often than inserted: room on their pages lets PostgreSQL update them in place, without
-- touching their indexes.
ALTER TABLE user_totals SET (fillfactor = 50);
ALTER TABLE order_counts SET (fillfactor = 50);
ALTER TABLE order_work SET (fillfactor = 50);
ALTER TABLE orders SET (fillfactor = 80);
ALTER TABLE puts SET (fillfactor = 80);
ALTER TABLE plan_buckets SET (fillfactor = 75);
ALTER TABLE user_buckets SET (fillfactor = 75);
ALTER TABLE user_days SET (fillfactor = 75);

-- Whether an earlier put of a pushed plan was refused.
CREATE INDEX puts_refused ON puts (order_id) WHERE state = 'refused';
