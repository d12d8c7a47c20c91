-- One stretch of the books: transactions behind ($3, $4) up to and with the user $5, at most $6, each compared with the one
-- before; then summed by user, for users in $1 up to their wallets' numbers in $2.
WITH heads AS (
    SELECT * FROM unnest($1::uuid[], $2::bigint[]) AS h (user_id, head)
), chunk AS MATERIALIZED (
    SELECT * FROM transactions WHERE (user_id, seq) > ($3, $4) AND user_id <= $5
    ORDER BY user_id, seq LIMIT $6
), bounds AS MATERIALIZED (
    SELECT (SELECT count(*) = $6 FROM chunk) AS full_chunk, user_id AS last_user, seq AS last_seq
    FROM chunk ORDER BY user_id DESC, seq DESC LIMIT 1
), followed AS (
    SELECT *, lag(seq) OVER w AS previous_seq,
           lag(ARRAY[available_after, to_be_consumed_after, to_be_settled_after, withdrawing_after]::bigint[]) OVER w
               AS previous
    FROM chunk WINDOW w AS (PARTITION BY user_id ORDER BY seq)
), judged AS (
    SELECT *, available_change + to_be_consumed_change + to_be_settled_change + withdrawing_change + guarantee_change
              + platform_change + fee = 0 AS is_balanced,
           ARRAY[available_after - available_change, to_be_consumed_after - to_be_consumed_change,
                 to_be_settled_after - to_be_settled_change, withdrawing_after - withdrawing_change]
           IS NOT DISTINCT FROM
           CASE WHEN previous_seq = seq - 1 THEN previous
                WHEN previous_seq IS NULL AND seq = 1 THEN '{0,0,0,0}'
                WHEN previous_seq IS NULL THEN (
                    SELECT ARRAY[p.available_after, p.to_be_consumed_after, p.to_be_settled_after,
                                 p.withdrawing_after]::bigint[]
                    FROM transactions p WHERE p.user_id = followed.user_id AND p.seq = followed.seq - 1)
           END AS is_on_course
    FROM followed
), parts AS (
    SELECT user_id, count(*) AS transactions,
           count(*) FILTER (WHERE NOT is_balanced) AS unbalanced,
           count(*) FILTER (WHERE NOT is_on_course) AS off_course,
           count(*) FILTER (WHERE seq <= head) AS counted,
           sum(available_change) FILTER (WHERE seq <= head) AS available,
           sum(to_be_consumed_change) FILTER (WHERE seq <= head) AS to_be_consumed,
           sum(to_be_settled_change) FILTER (WHERE seq <= head) AS to_be_settled,
           sum(withdrawing_change) FILTER (WHERE seq <= head) AS withdrawing,
           sum(guarantee_change) FILTER (WHERE seq <= head) AS guarantee,
           sum(available_change) FILTER (WHERE seq <= head AND flow_type <> 'ad_billing') AS shown,
           sum(platform_change) FILTER (WHERE seq <= head AND platform_account = 'promotions' AND order_id IS NOT NULL)
               AS coupons,
           sum(platform_change) FILTER (WHERE seq <= head AND platform_account = 'promotions' AND order_id IS NULL)
               AS start_up,
           sum(available_change) FILTER (WHERE type IN ('exchange_debit', 'exchange_return', 'exchange_credit'))
               AS exchanged,
           sum(platform_change) FILTER (WHERE platform_account = 'deposits_clearing') AS deposits_clearing,
           sum(platform_change) FILTER (WHERE platform_account = 'promotions') AS promotions,
           sum(platform_change) FILTER (WHERE platform_account = 'ad_spend') AS ad_spend,
           sum(platform_change) FILTER (WHERE platform_account = 'ad_revenue') AS ad_revenue,
           sum(platform_change) FILTER (WHERE platform_account = 'profit_share') AS profit_share,
           sum(platform_change) FILTER (WHERE platform_account = 'withdrawals_clearing') AS withdrawals_clearing,
           sum(fee) AS withdrawal_fees,
           sum(platform_change) FILTER (WHERE platform_account = 'chargebacks') AS chargebacks,
           sum(platform_change) FILTER (WHERE platform_account = 'membership') AS membership,
           sum(platform_change) FILTER (WHERE platform_account = 'fx_clearing') AS fx_clearing
    FROM judged LEFT JOIN heads USING (user_id)
    GROUP BY user_id
)
SELECT user_id AS "user_id!", transactions AS "transactions!", unbalanced AS "unbalanced!",
       off_course AS "off_course!", counted AS "counted!",
       coalesce(available, 0)::bigint AS "available!", coalesce(to_be_consumed, 0)::bigint AS "to_be_consumed!",
       coalesce(to_be_settled, 0)::bigint AS "to_be_settled!", coalesce(withdrawing, 0)::bigint AS "withdrawing!",
       coalesce(guarantee, 0)::bigint AS "guarantee!", coalesce(shown, 0)::bigint AS "shown!",
       coalesce(coupons, 0)::bigint AS "coupons!",
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
