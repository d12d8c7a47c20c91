-- Writes a batch of puts whose plans run from now on, a row at each place of the arrays. The caller holds the locks of puts
-- and orders. Everything that belongs to a user joins users_locked: it is written under the lock of the user's row in
-- user_totals, which all batches take in order of id, so they never deadlock and a user's events leave in order.
WITH placed AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::boolean[], $4::bytea[], $5::uuid[], $6::uuid[], $7::text[],
                         $8::bigint[], $9::bigint[], $10::bigint[], $11::uuid[], $12::text[], $13::uuid[],
                         $14::timestamptz[], $15::timestamptz[], $16::timestamptz[], $17::timestamptz[], $18::uuid[],
                         $19::text[], $20::text[], $21::bigint[], $22::text[], $23::text[])
         WITH ORDINALITY
         AS placed (put_id, put_state, redeem_due, answer, order_id, user_id, status, put_amount, paid, discount, coupon_id,
                    coupon_name, reservation_id, put_at, window_ends_at, bucket, day, event_id, event_type, subject,
                    sequence, data, traceparent, position)
), users_locked AS (
    INSERT INTO user_totals AS total (user_id, invested_minor, delivery_orders, first_at)
    SELECT user_id, sum(put_amount)::bigint, count(*), min(put_at) FROM placed GROUP BY user_id ORDER BY user_id
    ON CONFLICT (user_id) DO UPDATE
    SET invested_minor = total.invested_minor + excluded.invested_minor,
        delivery_orders = total.delivery_orders + excluded.delivery_orders,
        first_at = least(total.first_at, excluded.first_at)
    RETURNING user_id
), days_added AS (
    INSERT INTO user_days AS known (user_id, day, impressions, clicks, charged_micros, revenue_micros, invested_minor,
                                    delivery_orders)
    SELECT user_id, day, 0, 0, 0, 0, sum(put_amount)::bigint, count(*)
    FROM placed JOIN users_locked USING (user_id) GROUP BY user_id, day ORDER BY user_id, day
    ON CONFLICT (user_id, day) DO UPDATE
    SET invested_minor = known.invested_minor + excluded.invested_minor,
        delivery_orders = known.delivery_orders + excluded.delivery_orders
), buckets_added AS (
    INSERT INTO user_buckets AS known (user_id, bucket, impressions, clicks, charged_micros, revenue_micros,
                                       invested_minor, delivery_orders)
    SELECT user_id, bucket, 0, 0, 0, 0, sum(put_amount)::bigint, count(*)
    FROM placed JOIN users_locked USING (user_id) GROUP BY user_id, bucket ORDER BY user_id, bucket
    ON CONFLICT (user_id, bucket) DO UPDATE
    SET invested_minor = known.invested_minor + excluded.invested_minor,
        delivery_orders = known.delivery_orders + excluded.delivery_orders
), orders_placed AS (
    UPDATE orders
    SET status = placed.status, put_amount_minor = placed.put_amount, paid_amount_minor = placed.paid,
        discount_amount_minor = placed.discount, coupon_id = placed.coupon_id, coupon_name = placed.coupon_name,
        reservation_id = placed.reservation_id, put_at = placed.put_at, window_ends_at = placed.window_ends_at
    FROM placed JOIN users_locked USING (user_id) WHERE orders.id = placed.order_id
), history_added AS (
    INSERT INTO order_history (order_id, status, time, reason)
    SELECT order_id, status, put_at, '' FROM placed ORDER BY position
), puts_placed AS (
    UPDATE puts
    SET state = placed.put_state, redeem_due = placed.redeem_due, answer = placed.answer,
        lease_until = clock_timestamp() + make_interval(secs => $24), finished_at = clock_timestamp()
    FROM placed WHERE puts.id = placed.put_id
)
INSERT INTO outbox (event_id, event_type, subject, sequence, data, traceparent)
SELECT event_id, event_type, subject, sequence, data::json, traceparent
FROM placed JOIN users_locked USING (user_id) ORDER BY position
