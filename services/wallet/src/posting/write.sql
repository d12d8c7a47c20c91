-- Writes what a batch has decided: wallets, if they are as they were read, and then everything else. The wallets come first,
-- because the statement itself asks for their number: a batch that was overtaken ends before it has written more, and the
-- locks on the wallets keep batches of the same users apart. Each part takes its own arrays, a row at each place.
WITH wallets_written AS (
    UPDATE wallets w
    SET available = c.available, to_be_consumed = c.to_be_consumed, to_be_settled = c.to_be_settled,
        withdrawing = c.withdrawing, guarantee = c.guarantee, discount_total = c.discount_total,
        start_up_outstanding = c.start_up_outstanding, seq = c.seq, chain_head = c.chain_head, last_posted_at = c.last_posted_at
    FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                $8::bigint[], $9::bigint[], $10::bigint[], $11::bytea[], $12::timestamptz[])
         AS c (user_id, revision, available, to_be_consumed, to_be_settled, withdrawing, guarantee, discount_total,
               start_up_outstanding, seq, chain_head, last_posted_at)
    WHERE w.user_id = c.user_id AND w.xmin::text::bigint = c.revision
    RETURNING true
), transactions_added AS (
    INSERT INTO transactions (user_id, seq, id, type, posted_at, available_change, to_be_consumed_change,
                              to_be_settled_change, withdrawing_change, guarantee_change, platform_change,
                              platform_account, flow_type, fee, available_after, to_be_consumed_after,
                              to_be_settled_after, withdrawing_after, hash, order_id, order_version, reference,
                              idempotency_key, request_digest, staff_id, remark, chain_version)
    SELECT *, $73::smallint
    FROM unnest($13::uuid[], $14::bigint[], $15::uuid[], $16::transaction_type[], $17::timestamptz[],
                $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[],
                $24::ledger_account[], $25::flow_type[], $26::bigint[], $27::bigint[], $28::bigint[],
                $29::bigint[], $30::bigint[], $31::bytea[], $32::uuid[], $33::bigint[], $34::uuid[],
                $35::text[], $36::bytea[], $37::uuid[], $38::text[])
), holds_given AS (
    SELECT * FROM unnest($39::uuid[], $40::boolean[], $41::uuid[], $42::hold_state[], $43::bigint[], $44::bigint[],
                         $45::bigint[], $46::bigint[], $47::bigint[], $48::bigint[], $49::bigint[], $50::bigint[],
                         $51::bigint[])
         AS h (order_id, is_new, user_id, state, paid, discount, version, consumed, revenue, paid_returned,
               discount_returned, paid_returned_at_settle, platform_share)
), holds_added AS (
    INSERT INTO holds (order_id, user_id, state, paid, discount, version, consumed, revenue, paid_returned,
                       discount_returned, paid_returned_at_settle, platform_share)
    SELECT order_id, user_id, state, paid, discount, version, consumed, revenue, paid_returned, discount_returned,
           paid_returned_at_settle, platform_share
    FROM holds_given WHERE is_new
), holds_changed AS (
    UPDATE holds h
    SET state = g.state, version = g.version, consumed = g.consumed, revenue = g.revenue,
        paid_returned = g.paid_returned, discount_returned = g.discount_returned,
        paid_returned_at_settle = g.paid_returned_at_settle, platform_share = g.platform_share
    FROM holds_given g WHERE h.order_id = g.order_id AND NOT g.is_new
), withdrawals_given AS (
    SELECT * FROM unnest($52::uuid[], $53::boolean[], $54::uuid[], $55::bigint[], $56::bigint[],
                         $57::withdrawal_method[], $58::withdrawal_status[], $59::text[], $60::timestamptz[],
                         $61::timestamptz[], $62::text[], $63::bytea[])
         AS w (id, is_new, user_id, amount, fee, method, status, reason, requested_at, decided_at, key_id, sealed)
), withdrawals_added AS (
    INSERT INTO withdrawals (id, user_id, amount, fee, method, status, reason, requested_at, decided_at, key_id, sealed)
    SELECT id, user_id, amount, fee, method, status, reason, requested_at, decided_at, key_id, sealed
    FROM withdrawals_given WHERE is_new
), withdrawals_decided AS (
    UPDATE withdrawals w SET status = g.status, reason = g.reason, decided_at = g.decided_at
    FROM withdrawals_given g WHERE w.id = g.id AND NOT g.is_new
), exchanges_closed AS (
    INSERT INTO closed_exchanges (exchange_id, user_id, closed_at)
    SELECT * FROM unnest($64::uuid[], $65::uuid[], $66::timestamptz[])
), events_added AS (
    INSERT INTO outbox (event_id, event_type, subject, sequence, data, traceparent)
    SELECT event_id, event_type, subject, sequence, data::json, traceparent
    FROM unnest($67::uuid[], $68::text[], $69::text[], $70::bigint[], $71::text[], $72::text[])
         WITH ORDINALITY AS event (event_id, event_type, subject, sequence, data, traceparent, position)
    ORDER BY position
)
SELECT require_current((SELECT count(*) FROM wallets_written), cardinality($1::uuid[])) AS "is_current!"
