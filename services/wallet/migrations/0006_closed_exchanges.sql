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

-- The functions of 0005 with what is said above; the movement_outcome there stays for calls that are under way, and nothing
-- calls it any more.
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

CREATE OR REPLACE FUNCTION decide_commands(
    p_now timestamptz, p_kinds posting_kind[], p_users uuid[], p_orders uuid[], p_references uuid[], p_keys text[],
    p_debit_keys text[], p_digests bytea[], p_amounts bigint[], p_second_amounts bigint[], p_shares bigint[],
    p_versions bigint[], p_remarks text[], p_staff uuid[], p_details text[], p_ids uuid[], p_second_ids uuid[],
    p_traceparents text[]
) RETURNS SETOF posting_step LANGUAGE plpgsql AS $$
DECLARE
    c record;
    d posting_step;
    amount bigint;
    last_posted_at timestamptz;
BEGIN
    FOR c IN
        SELECT x.*, step, last_step,
               lag(x.user_id) OVER w IS DISTINCT FROM x.user_id AS first_of_user,
               wallet.available, wallet.to_be_consumed, wallet.to_be_settled, wallet.withdrawing, wallet.discount_total,
               wallet.start_up_outstanding, wallet.seq, wallet.chain_head, wallet.last_posted_at,
               wallet.has_pay_password, wallet.has_bank_card, wallet.has_wallet_address,
               h AS hold, m AS rule, wd AS withdrawal, debit.user_id AS debit_user, debit.available_change AS debited,
               closed.user_id AS closed_by,
               t.id AS first_id, t.request_digest AS first_digest, t.posted_at AS first_posted_at,
               t.available_after AS first_available, t.hash AS first_hash, t.reference AS first_reference
        FROM unnest(p_kinds, p_users, p_orders, p_references, p_keys, p_debit_keys, p_digests, p_amounts, p_second_amounts,
                    p_shares, p_versions, p_remarks, p_staff, p_details, p_ids, p_second_ids, p_traceparents)
             WITH ORDINALITY AS x (kind, user_id, order_id, reference, key, debit_key, digest, amount, second_amount,
                                   share, version, remark, staff_id, details, id, second_id, traceparent, ord)
        CROSS JOIN LATERAL (
            SELECT 1 AS step, x.kind NOT IN ('record_delivery', 'settle') AS last_step
            UNION ALL
            SELECT 2, true WHERE x.kind IN ('record_delivery', 'settle')
        ) AS s
        LEFT JOIN wallets wallet ON wallet.user_id = x.user_id
        LEFT JOIN movements m ON m.kind = x.kind
        LEFT JOIN holds h ON h.order_id = x.order_id
        LEFT JOIN withdrawals wd ON wd.id = x.reference
        LEFT JOIN transactions t ON t.idempotency_key = x.key
        LEFT JOIN transactions debit ON debit.idempotency_key = x.debit_key
        LEFT JOIN closed_exchanges closed ON closed.exchange_id = x.reference
        WINDOW w AS (ORDER BY x.user_id, x.ord, step)
        ORDER BY x.user_id, x.ord, step
    LOOP
        IF c.first_of_user THEN
            d.user_id := c.user_id;
            d.available := coalesce(c.available, 0);
            d.to_be_consumed := coalesce(c.to_be_consumed, 0);
            d.to_be_settled := coalesce(c.to_be_settled, 0);
            d.withdrawing := coalesce(c.withdrawing, 0);
            d.discount_total := coalesce(c.discount_total, 0);
            d.start_up_outstanding := coalesce(c.start_up_outstanding, 0);
            d.has_pay_password := coalesce(c.has_pay_password, false);
            d.has_bank_card := coalesce(c.has_bank_card, false);
            d.has_wallet_address := coalesce(c.has_wallet_address, false);
            d.seq := c.seq;
            d.hash := c.chain_head;
            last_posted_at := c.last_posted_at;
        END IF;
        d.booked := false;

        IF c.step = 1 THEN
            d.ord := c.ord;
            d.kind := c.kind;
            d.traceparent := c.traceparent;
            d.order_id := c.order_id;
            d.reference := c.reference;
            d.staff_id := c.staff_id;
            d.details := c.details;
            d.hold_change := CASE WHEN c.order_id IS NULL THEN NULL
                                  WHEN (c.hold).order_id IS NULL THEN 'added' ELSE 'changed' END;
            d.hold_state := (c.hold).state;
            d.paid := coalesce((c.hold).paid, 0);
            d.discount := coalesce((c.hold).discount, 0);
            d.version := coalesce((c.hold).version, 0);
            d.consumed := coalesce((c.hold).consumed, 0);
            d.revenue := coalesce((c.hold).revenue, 0);
            d.paid_returned := coalesce((c.hold).paid_returned, 0);
            d.discount_returned := coalesce((c.hold).discount_returned, 0);
            d.paid_returned_at_settle := coalesce((c.hold).paid_returned_at_settle, 0);
            d.platform_share := coalesce((c.hold).platform_share, 0);
            -- A decided withdrawal moves what was asked for.
            amount := CASE WHEN c.kind IN ('withdrawal_paid', 'withdrawal_rejected') THEN (c.withdrawal).amount
                           ELSE c.amount END;
            d.outcome := CASE
                WHEN (c.rule).kind IS NULL THEN order_outcome(
                    c.kind, c.user_id, c.hold, c.amount, c.second_amount, c.share, c.version,
                    d.available, d.to_be_consumed, d.to_be_settled)
                ELSE movement_outcome(
                    c.rule, c.user_id, c.digest, amount, c.first_id, c.first_digest, c.withdrawal, c.debit_user, c.debited,
                    c.closed_by, d.seq, d.available, d.start_up_outstanding) END;
        END IF;

        IF d.outcome = 'applied' THEN
            d.second_part := 0;
            d.available_change := 0;
            d.to_be_consumed_change := 0;
            d.to_be_settled_change := 0;
            d.withdrawing_change := 0;
            d.start_up_change := 0;
            IF (c.rule).kind IS NULL THEN
                d := change_order(d, c.step, c.amount, c.second_amount, c.share, c.version);
            ELSE
                d.type := (c.rule).type;
                -- A return that comes before its debit closes the order and moves nothing.
                IF c.kind = 'exchange_return' AND c.debit_user IS NULL THEN
                    amount := 0;
                END IF;
                d.first_part := amount;
                IF c.kind = 'withdrawal_paid' THEN
                    d.second_part := (c.withdrawal).fee;
                END IF;
                d.available_change := (c.rule).available_sign * amount;
                d.withdrawing_change := (c.rule).withdrawing_sign * amount;
                d.start_up_change := (c.rule).start_up_sign * amount;
            END IF;

            -- A step that moves nothing leaves no transaction: a settlement without revenue, the closing of an order that
            -- held nothing, a report that changed only one of spend and revenue.
            IF d.available_change <> 0 OR d.to_be_consumed_change <> 0 OR d.to_be_settled_change <> 0
               OR d.withdrawing_change <> 0 THEN
                d.booked := true;
                d.id := CASE WHEN c.step = 1 THEN c.id ELSE c.second_id END;
                d.available := d.available + d.available_change;
                d.to_be_consumed := d.to_be_consumed + d.to_be_consumed_change;
                d.to_be_settled := d.to_be_settled + d.to_be_settled_change;
                d.withdrawing := d.withdrawing + d.withdrawing_change;
                d.start_up_outstanding := d.start_up_outstanding + d.start_up_change;
                d.seq := d.seq + 1;
                d.idempotency_key := c.key;
                d.request_digest := c.digest;
                d.remark := c.remark;
                -- Replicas' clocks differ a little; a user's time must not run back.
                last_posted_at := greatest(p_now, last_posted_at);
                IF d.posted_at IS DISTINCT FROM last_posted_at THEN
                    d.posted_at := last_posted_at;
                    d.posted_at_text := canonical_time(last_posted_at);
                END IF;
                d.previous_hash := d.hash;
                d.hash := sha256(d.previous_hash || canonical_bytes(d.user_id, d.seq, d.posted_at_text, d.id, d.type,
                    d.available_change, d.to_be_consumed_change, d.to_be_settled_change, d.withdrawing_change));
            END IF;
        END IF;

        IF c.last_step OR d.booked THEN
            d.last_of_command := c.last_step;
            d.first_id := c.first_id;
            d.first_posted_at := c.first_posted_at;
            d.first_available := c.first_available;
            d.first_hash := c.first_hash;
            d.first_reference := c.first_reference;
            RETURN NEXT d;
        END IF;
    END LOOP;
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
