-- One stretch of the books: transactions behind ($3, $4) up to and with the user $5, at most $6, each compared with its entries
-- and with the transaction before; then summed by user, for users in $1 up to their wallets' numbers in $2.
WITH heads AS (
    SELECT * FROM unnest($1::uuid[], $2::bigint[]) AS h (user_id, head)
), chunk AS MATERIALIZED (
    SELECT * FROM transactions WHERE (user_id, seq) > ($3, $4) AND user_id <= $5
    ORDER BY user_id, seq LIMIT $6
), bounds AS MATERIALIZED (
    SELECT full_chunk,
           CASE WHEN full_chunk THEN (SELECT user_id FROM chunk ORDER BY user_id DESC LIMIT 1) ELSE $5 END AS last_user,
           CASE WHEN full_chunk THEN (SELECT seq FROM chunk ORDER BY user_id DESC, seq DESC LIMIT 1)
                ELSE 9223372036854775807 END AS last_seq
    FROM (SELECT count(*) = $6 AS full_chunk FROM chunk) AS counted
), legs AS (
    SELECT user_id, seq, sum(amount) AS total,
           coalesce(sum(amount) FILTER (WHERE account = 'available'), 0) AS available,
           coalesce(sum(amount) FILTER (WHERE account = 'to_be_consumed'), 0) AS to_be_consumed,
           coalesce(sum(amount) FILTER (WHERE account = 'to_be_settled'), 0) AS to_be_settled,
           coalesce(sum(amount) FILTER (WHERE account = 'withdrawing'), 0) AS withdrawing,
           sum(amount) FILTER (WHERE account = 'available' AND flow_type IS NOT NULL) AS shown,
           sum(amount) FILTER (WHERE account = 'deposits_clearing') AS deposits_clearing,
           sum(amount) FILTER (WHERE account = 'promotions') AS promotions,
           sum(amount) FILTER (WHERE account = 'ad_spend') AS ad_spend,
           sum(amount) FILTER (WHERE account = 'ad_revenue') AS ad_revenue,
           sum(amount) FILTER (WHERE account = 'profit_share') AS profit_share,
           sum(amount) FILTER (WHERE account = 'withdrawals_clearing') AS withdrawals_clearing,
           sum(amount) FILTER (WHERE account = 'withdrawal_fees') AS withdrawal_fees,
           sum(amount) FILTER (WHERE account = 'chargebacks') AS chargebacks,
           sum(amount) FILTER (WHERE account = 'membership') AS membership,
           sum(amount) FILTER (WHERE account = 'fx_clearing') AS fx_clearing
    FROM entries
    WHERE (user_id, seq) > ($3, $4)
      AND (user_id, seq) <= ((SELECT last_user FROM bounds), (SELECT last_seq FROM bounds))
    GROUP BY user_id, seq
), booked AS (
    SELECT *, lag(seq) OVER w AS previous_seq,
           lag(ARRAY[available_after, to_be_consumed_after, to_be_settled_after, withdrawing_after]) OVER w AS previous
    FROM chunk WINDOW w AS (PARTITION BY user_id ORDER BY seq)
), followed AS (
    SELECT user_id, seq, type, available_change, to_be_consumed_change, to_be_settled_change, withdrawing_change,
           ARRAY[available_after - available_change, to_be_consumed_after - to_be_consumed_change,
                 to_be_settled_after - to_be_settled_change, withdrawing_after - withdrawing_change]
           IS NOT DISTINCT FROM
           CASE WHEN previous_seq = seq - 1 THEN previous
                WHEN previous_seq IS NULL AND seq = 1 THEN '{0,0,0,0}'
                WHEN previous_seq IS NULL THEN (
                    SELECT ARRAY[p.available_after, p.to_be_consumed_after, p.to_be_settled_after, p.withdrawing_after]
                    FROM transactions p WHERE p.user_id = booked.user_id AND p.seq = booked.seq - 1)
           END AS on_course
    FROM booked
), parts AS (
    SELECT user_id, count(f.seq) AS transactions,
           count(*) FILTER (WHERE total IS DISTINCT FROM 0) AS unbalanced,
           count(*) FILTER (WHERE (available_change, to_be_consumed_change, to_be_settled_change, withdrawing_change)
               IS DISTINCT FROM (available, to_be_consumed, to_be_settled, withdrawing)) AS differing,
           count(*) FILTER (WHERE NOT on_course) AS off_course,
           count(f.seq) FILTER (WHERE seq <= head) AS counted,
           sum(available) FILTER (WHERE seq <= head) AS available,
           sum(to_be_consumed) FILTER (WHERE seq <= head) AS to_be_consumed,
           sum(to_be_settled) FILTER (WHERE seq <= head) AS to_be_settled,
           sum(withdrawing) FILTER (WHERE seq <= head) AS withdrawing,
           sum(shown) FILTER (WHERE seq <= head) AS shown,
           sum(promotions) FILTER (WHERE seq <= head AND coalesce(type NOT IN ('start_up_grant', 'start_up_return'), true))
               AS coupons,
           sum(promotions) FILTER (WHERE seq <= head AND type IN ('start_up_grant', 'start_up_return')) AS start_up,
           sum(f.available_change) FILTER (WHERE type IN ('exchange_debit', 'exchange_return', 'exchange_credit'))
               AS exchanged,
           sum(deposits_clearing) AS deposits_clearing, sum(promotions) AS promotions,
           sum(ad_spend) AS ad_spend, sum(ad_revenue) AS ad_revenue, sum(profit_share) AS profit_share,
           sum(withdrawals_clearing) AS withdrawals_clearing, sum(withdrawal_fees) AS withdrawal_fees,
           sum(chargebacks) AS chargebacks, sum(membership) AS membership, sum(fx_clearing) AS fx_clearing
    FROM followed f FULL JOIN legs USING (user_id, seq) LEFT JOIN heads USING (user_id)
    GROUP BY user_id
)
SELECT user_id AS "user_id!", transactions AS "transactions!", unbalanced AS "unbalanced!",
       differing AS "differing!", off_course AS "off_course!", counted AS "counted!",
       coalesce(available, 0)::bigint AS "available!", coalesce(to_be_consumed, 0)::bigint AS "to_be_consumed!",
       coalesce(to_be_settled, 0)::bigint AS "to_be_settled!", coalesce(withdrawing, 0)::bigint AS "withdrawing!",
       coalesce(shown, 0)::bigint AS "shown!", coalesce(coupons, 0)::bigint AS "coupons!",
       coalesce(deposits_clearing, 0)::bigint AS "deposits_clearing!",
       coalesce(promotions, 0)::bigint AS "promotions!", coalesce(ad_spend, 0)::bigint AS "ad_spend!",
       coalesce(ad_revenue, 0)::bigint AS "ad_revenue!", coalesce(profit_share, 0)::bigint AS "profit_share!",
       coalesce(withdrawals_clearing, 0)::bigint AS "withdrawals_clearing!",
       coalesce(withdrawal_fees, 0)::bigint AS "withdrawal_fees!", coalesce(chargebacks, 0)::bigint AS "chargebacks!",
       coalesce(membership, 0)::bigint AS "membership!", coalesce(fx_clearing, 0)::bigint AS "fx_clearing!",
       coalesce(start_up, 0)::bigint AS "start_up!", coalesce(exchanged, 0)::bigint AS "exchanged!",
       EXISTS (SELECT FROM wallets w WHERE w.user_id = parts.user_id) AS "has_wallet!",
       full_chunk AS "full_chunk!", last_user AS "last_user!", last_seq AS "last_seq!"
FROM parts CROSS JOIN bounds
