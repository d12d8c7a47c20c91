-- Exchange orders that may never be debited any more.
--
-- An acceptor that could not learn whether its debit arrived asks for the return. The return of a debit that has not come
-- yet closes the order: whenever the debit comes, it is refused. So the acceptor may forget the order at once, however
-- long a call was on its way.

CREATE TABLE closed_exchanges (
    exchange_id uuid PRIMARY KEY,
    user_id     uuid NOT NULL,
    closed_at   timestamptz NOT NULL
);
-- An order is closed for good.
CREATE TRIGGER closed_exchanges_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_exchanges
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON closed_exchanges FROM PUBLIC, CURRENT_USER;

-- The functions of 0005 with what is said above; decide_commands, which looks for closed orders, follows in 0007. The
-- movement_outcome of 0005 stays for calls that are under way, and nothing calls it any more.
CREATE FUNCTION movement_outcome(
    rule movements, user_id uuid, digest bytea, amount bigint, first_id uuid, first_digest bytea, withdrawal withdrawals,
    debit_user uuid, debited bigint, closed_by uuid, seq bigint, available bigint, start_up_outstanding bigint
) RETURNS posting_outcome LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF first_id IS NOT NULL THEN
        RETURN CASE WHEN first_digest = digest THEN 'repeated' ELSE 'key_reused' END;
    ELSIF rule.kind IN ('withdrawal_paid', 'withdrawal_rejected') THEN
        RETURN CASE
            WHEN withdrawal.user_id IS DISTINCT FROM user_id THEN 'unknown_withdrawal'
            WHEN withdrawal.status <> 'pending' THEN 'nothing_changed'
            WHEN rule.available_sign > 0 AND available > balance_limit() - amount THEN 'balance_limit'
            ELSE 'applied' END;
    ELSIF rule.kind = 'exchange_return' AND debit_user IS NOT NULL THEN
        RETURN CASE
            WHEN debit_user <> user_id THEN 'unknown_exchange'
            WHEN debited <> -amount THEN 'key_reused'
            WHEN available > balance_limit() - amount THEN 'balance_limit'
            ELSE 'applied' END;
    -- Also an order is closed only under the lock on its user's wallet.
    ELSIF seq IS NULL THEN
        RETURN 'no_wallet';
    ELSIF rule.kind = 'exchange_return' THEN
        RETURN CASE WHEN closed_by IS NULL THEN 'applied' WHEN closed_by <> user_id THEN 'unknown_exchange' ELSE 'repeated' END;
    ELSIF closed_by IS NOT NULL THEN
        RETURN 'order_closed';
    END IF;
    RETURN CASE
        WHEN rule.start_up_sign < 0 AND amount > start_up_outstanding THEN 'amount_out_of_range'
        WHEN rule.available_sign < 0 AND amount > available THEN 'insufficient_balance'
        WHEN rule.kind = 'withdraw' AND start_up_outstanding > 0 THEN 'start_up_funds_not_returned'
        WHEN rule.available_sign > 0 AND available > balance_limit() - amount THEN 'balance_limit'
        WHEN rule.start_up_sign > 0 AND start_up_outstanding > balance_limit() - amount THEN 'balance_limit'
        ELSE 'applied' END;
END $$;

CREATE OR REPLACE FUNCTION post_commands(
    p_now timestamptz, p_kinds posting_kind[], p_opens boolean[], p_users uuid[], p_orders uuid[], p_references uuid[],
    p_keys text[], p_debit_keys text[], p_digests bytea[], p_amounts bigint[], p_second_amounts bigint[], p_shares bigint[],
    p_versions bigint[], p_remarks text[], p_staff uuid[], p_details text[], p_ids uuid[], p_second_ids uuid[],
    p_traceparents text[]
) RETURNS SETOF posting_step LANGUAGE plpgsql
-- Planning for each call would cost more than the call; and the one plan must be the one by index, whatever the statistics
-- of tables that were empty a moment ago say.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
BEGIN
    -- Wallets come into being with the first command that may post to them. In order of id, like the locks below.
    INSERT INTO wallets (user_id)
    SELECT DISTINCT x.user_id FROM unnest(p_opens, p_users) AS x (opens, user_id)
    WHERE x.opens AND NOT EXISTS (SELECT FROM wallets w WHERE w.user_id = x.user_id)
    ORDER BY x.user_id
    ON CONFLICT DO NOTHING;

    -- Everything read after this is as the last batch of these users left it: each statement takes a new snapshot.
    PERFORM FROM wallets WHERE user_id = ANY (p_users) ORDER BY user_id FOR UPDATE;

    RETURN QUERY
    WITH decided AS MATERIALIZED (
        SELECT * FROM decide_commands(p_now, p_kinds, p_users, p_orders, p_references, p_keys, p_debit_keys, p_digests,
                                      p_amounts, p_second_amounts, p_shares, p_versions, p_remarks, p_staff, p_details,
                                      p_ids, p_second_ids, p_traceparents)
    ), transactions_added AS (
        INSERT INTO transactions (user_id, seq, id, type, posted_at, available_change, to_be_consumed_change,
                                  to_be_settled_change, withdrawing_change, available_after, to_be_consumed_after,
                                  to_be_settled_after, withdrawing_after, hash, order_id, order_version,
                                  idempotency_key, request_digest, staff_id, remark, reference)
        SELECT user_id, seq, id, type, posted_at, available_change, to_be_consumed_change, to_be_settled_change,
               withdrawing_change, available, to_be_consumed, to_be_settled, withdrawing, hash, order_id,
               CASE WHEN order_id IS NOT NULL THEN version END, idempotency_key, request_digest, staff_id, remark, reference
        FROM decided WHERE booked
    ), entries_added AS (
        INSERT INTO entries (user_id, seq, leg, account, flow_type, amount, balance_after)
        SELECT d.user_id, d.seq, l.leg, l.account, l.flow_type, a.amount,
               CASE WHEN l.flow_type IS NULL THEN NULL
                    WHEN l.account = 'available' THEN d.available
                    WHEN l.account = 'to_be_consumed' THEN d.to_be_consumed END
        FROM decided d
        JOIN transaction_legs l ON l.type = d.type
        CROSS JOIN LATERAL (SELECT l.first_sign * d.first_part + l.second_sign * d.second_part AS amount) AS a
        WHERE d.booked AND a.amount <> 0
    ), wallets_changed AS (
        UPDATE wallets w
        SET available = d.available, to_be_consumed = d.to_be_consumed, to_be_settled = d.to_be_settled,
            withdrawing = d.withdrawing, discount_total = d.discount_total, start_up_outstanding = d.start_up_outstanding,
            seq = d.seq, chain_head = d.hash, last_posted_at = d.posted_at
        FROM (
            SELECT DISTINCT ON (user_id) * FROM decided WHERE booked ORDER BY user_id, seq DESC
        ) AS d
        WHERE w.user_id = d.user_id
    ), holds_added AS (
        INSERT INTO holds (order_id, user_id, state, paid, discount)
        SELECT order_id, user_id, hold_state, paid, discount
        FROM decided WHERE outcome = 'applied' AND hold_change = 'added' AND last_of_command
    ), holds_changed AS (
        UPDATE holds h
        SET state = d.hold_state, version = d.version, consumed = d.consumed, revenue = d.revenue,
            paid_returned = d.paid_returned, discount_returned = d.discount_returned,
            paid_returned_at_settle = d.paid_returned_at_settle, platform_share = d.platform_share
        FROM decided d
        WHERE h.order_id = d.order_id AND d.outcome = 'applied' AND d.hold_change = 'changed' AND d.last_of_command
    ), withdrawals_added AS (
        INSERT INTO withdrawals (id, user_id, amount, fee, method, status, requested_at, key_id, sealed)
        SELECT reference, user_id, first_part, (details ->> 'fee')::bigint, (details ->> 'method')::withdrawal_method,
               'pending', posted_at, details ->> 'key_id', decode(details ->> 'sealed', 'hex')
        FROM decided WHERE booked AND type = 'withdraw'
    ), withdrawals_decided AS (
        UPDATE withdrawals wd
        SET status = CASE d.type WHEN 'withdrawal_paid' THEN 'paid' ELSE 'rejected' END::withdrawal_status,
            reason = d.remark, decided_at = d.posted_at
        FROM decided d
        WHERE wd.id = d.reference AND d.booked AND d.type IN ('withdrawal_paid', 'withdrawal_rejected')
    ), exchanges_closed AS (
        INSERT INTO closed_exchanges (exchange_id, user_id, closed_at)
        SELECT reference, user_id, p_now
        FROM decided WHERE outcome = 'applied' AND kind = 'exchange_return' AND NOT booked
    ), events_added AS (
        INSERT INTO outbox (event_id, event_type, subject, sequence, data, traceparent)
        SELECT id, 'adfolio.wallet.v1.TransactionPosted', user_id::text, seq,
               concat('{"transactionId":"', id, '","userId":"', user_id, '","sequence":"', seq, '","type":"', type,
                      '","time":"', posted_at_text,
                      '","availableChangeMinor":"', available_change,
                      '","toBeConsumedChangeMinor":"', to_be_consumed_change,
                      '","toBeSettledChangeMinor":"', to_be_settled_change,
                      '","withdrawingChangeMinor":"', withdrawing_change,
                      '","availableMinor":"', available,
                      '","toBeConsumedMinor":"', to_be_consumed,
                      '","toBeSettledMinor":"', to_be_settled,
                      '","withdrawingMinor":"', withdrawing,
                      '","reference":"', coalesce(order_id, reference),
                      '","previousHash":"', encode(previous_hash, 'hex'),
                      '","hash":"', encode(hash, 'hex'), '"}')::json,
               traceparent
        FROM decided WHERE booked
        ORDER BY user_id, seq
    ), people_told AS (
        INSERT INTO outbox (event_id, event_type, subject, data, traceparent)
        SELECT gen_random_uuid(), 'adfolio.wallet.v1.' || told.name, d.user_id::text, told.data, d.traceparent
        FROM decided d
        LEFT JOIN withdrawals wd ON wd.id = d.reference
        CROSS JOIN LATERAL told_of_movement(d::posting_step, wd) AS told
        WHERE d.booked AND d.order_id IS NULL
        ORDER BY d.user_id, d.seq
    )
    SELECT * FROM decided WHERE last_of_command;
END $$;
