-- How postings of every kind come into the ledger: one call of post_commands per batch, one round trip, one commit.
--
-- post_commands locks the wallets of the batch in order of id (so batches never deadlock), lets decide_commands accept or
-- refuse each command by itself against the locked rows, and writes everything that was accepted: transactions, entries,
-- balances, chain heads, holds, withdrawals and events. A caller passes arrays of equal length; the element at one place is
-- one command. A batch must not name an order, a key, a withdrawal or an exchange order twice.
--
-- post_batch and decide_postings stay for replicas of the release before; nothing calls them any more.

-- One row per command and step; a step writes at most one transaction (`booked`). The fields that begin with first_ are the
-- first answer of a repeated keyed command.
CREATE TYPE posting_step AS (
    ord                     bigint,
    kind                    posting_kind,
    outcome                 posting_outcome,
    last_of_command         boolean,
    booked                  boolean,
    user_id                 uuid,
    seq                     bigint,
    id                      uuid,
    type                    transaction_type,
    posted_at               timestamptz,
    posted_at_text          text,
    first_part              bigint,
    second_part             bigint,
    available_change        bigint,
    to_be_consumed_change   bigint,
    to_be_settled_change    bigint,
    withdrawing_change      bigint,
    start_up_change         bigint,
    available               bigint,
    to_be_consumed          bigint,
    to_be_settled           bigint,
    withdrawing             bigint,
    discount_total          bigint,
    start_up_outstanding    bigint,
    has_pay_password        boolean,
    has_bank_card           boolean,
    has_wallet_address      boolean,
    previous_hash           bytea,
    hash                    bytea,
    idempotency_key         text,
    request_digest          bytea,
    staff_id                uuid,
    remark                  text,
    traceparent             text,
    reference               uuid,
    -- What only some kinds need: a withdrawal's method and sealed destination, an audited act's words.
    details                 json,
    order_id                uuid,
    hold_change             text,
    hold_state              hold_state,
    paid                    bigint,
    discount                bigint,
    version                 bigint,
    consumed                bigint,
    revenue                 bigint,
    paid_returned           bigint,
    discount_returned       bigint,
    paid_returned_at_settle bigint,
    platform_share          bigint,
    first_id                uuid,
    first_posted_at         timestamptz,
    first_available         bigint,
    first_hash              bytea,
    first_reference         uuid
);

CREATE FUNCTION balance_limit() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1000000000000000000 $$;

-- Whether an order may be posted to: against its hold and the figures of its user as they stand.
CREATE FUNCTION order_outcome(
    kind posting_kind, user_id uuid, hold holds, amount bigint, second_amount bigint, share bigint, version bigint,
    available bigint, to_be_consumed bigint, to_be_settled bigint
) RETURNS posting_outcome LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF kind = 'hold' THEN
        RETURN CASE
            WHEN hold.order_id IS NULL AND amount > available THEN 'insufficient_balance'
            WHEN hold.order_id IS NULL AND to_be_consumed > balance_limit() - amount - second_amount THEN 'balance_limit'
            WHEN hold.order_id IS NULL THEN 'applied'
            WHEN hold.user_id <> user_id THEN 'key_reused'
            WHEN hold.paid = 0 AND hold.discount = 0 THEN 'order_closed'
            WHEN hold.paid <> amount OR hold.discount <> second_amount THEN 'key_reused'
            WHEN hold.state <> 'held' THEN 'order_closed'
            ELSE 'repeated' END;
    ELSIF kind = 'release' THEN
        RETURN CASE
            WHEN hold.user_id <> user_id THEN 'unknown_order'
            WHEN hold.state = 'settled' THEN 'repeated'
            WHEN available > balance_limit() - coalesce(hold.paid, 0) THEN 'balance_limit'
            ELSE 'applied' END;
    -- What is left speaks of an order that has held something.
    ELSIF hold.user_id IS DISTINCT FROM user_id OR (hold.paid = 0 AND hold.discount = 0) THEN
        RETURN 'unknown_order';
    ELSIF kind = 'record_delivery' THEN
        RETURN CASE
            WHEN version <= hold.version THEN 'repeated'
            WHEN hold.state = 'settled' THEN 'order_closed'
            WHEN amount > hold.paid + hold.discount - hold.paid_returned - hold.discount_returned THEN 'consumed_out_of_range'
            WHEN to_be_settled > balance_limit() - second_amount THEN 'balance_limit'
            WHEN to_be_consumed > balance_limit() - hold.consumed THEN 'balance_limit'
            ELSE 'applied' END;
    ELSE -- settle
        RETURN CASE
            WHEN hold.state = 'settled' THEN
                CASE WHEN (hold.consumed, hold.revenue, hold.platform_share) = (amount, second_amount, share)
                     THEN 'repeated' ELSE 'key_reused' END
            WHEN hold.consumed <> amount THEN 'consumed_differs'
            WHEN hold.revenue <> second_amount THEN 'revenue_differs'
            WHEN share > hold.revenue THEN 'share_out_of_range'
            WHEN available > balance_limit() - hold.revenue - hold.paid THEN 'balance_limit'
            ELSE 'applied' END;
    END IF;
END $$;

-- What a step of an accepted command of an order changes. Of the two steps of a report and of a settlement, each books what
-- it moves.
CREATE FUNCTION change_order(
    d posting_step, step integer, amount bigint, second_amount bigint, share bigint, version bigint
) RETURNS posting_step LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    open_minor bigint;
    returned_minor bigint;
BEGIN
    IF d.kind = 'hold' THEN
        d.type := 'hold';
        d.first_part := amount;
        d.second_part := second_amount;
        d.available_change := -amount;
        d.to_be_consumed_change := amount + second_amount;
        d.discount_total := d.discount_total + second_amount;
        d.hold_state := 'held';
        d.paid := amount;
        d.discount := second_amount;
    ELSIF d.kind = 'record_delivery' AND step = 1 THEN
        d.type := 'consume';
        d.first_part := amount - d.consumed;
        d.to_be_consumed_change := -d.first_part;
        d.consumed := amount;
        d.version := version;
    ELSIF d.kind = 'record_delivery' THEN
        d.type := 'accrue';
        d.first_part := second_amount - d.revenue;
        d.to_be_settled_change := d.first_part;
        d.revenue := second_amount;
    ELSIF step = 1 THEN -- release, also before a settlement
        d.type := 'release';
        d.hold_state := CASE WHEN d.kind = 'settle' THEN 'settled' ELSE 'released' END;
        open_minor := d.paid + d.discount - d.consumed - d.paid_returned - d.discount_returned;
        IF open_minor > 0 THEN
            -- In the proportion paid, over all that was ever returned, so that several returns round as one; what does not
            -- divide is the user's.
            returned_minor := d.paid_returned + d.discount_returned + open_minor;
            d.second_part := div(returned_minor::numeric * d.discount, d.paid + d.discount) - d.discount_returned;
            d.first_part := open_minor - d.second_part;
            d.available_change := d.first_part;
            d.to_be_consumed_change := -open_minor;
            d.discount_total := d.discount_total - d.second_part;
            d.paid_returned := d.paid_returned + d.first_part;
            d.discount_returned := d.discount_returned + d.second_part;
            IF d.kind = 'settle' THEN
                d.paid_returned_at_settle := d.first_part;
            END IF;
        END IF;
    ELSE -- settle
        d.type := 'settle';
        d.first_part := d.revenue;
        d.second_part := share;
        d.platform_share := share;
        d.available_change := d.revenue - share;
        d.to_be_settled_change := -d.revenue;
    END IF;
    RETURN d;
END $$;

-- Whether a keyed command may be posted: against the key's first use, what it refers to, and the user's figures.
CREATE FUNCTION movement_outcome(
    rule movements, user_id uuid, digest bytea, amount bigint, first_id uuid, first_digest bytea, withdrawal withdrawals,
    debit_user uuid, debited bigint, seq bigint, available bigint, start_up_outstanding bigint
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
    ELSIF rule.kind = 'exchange_return' THEN
        RETURN CASE
            WHEN debit_user IS DISTINCT FROM user_id THEN 'unknown_exchange'
            WHEN debited <> -amount THEN 'key_reused'
            WHEN available > balance_limit() - amount THEN 'balance_limit'
            ELSE 'applied' END;
    ELSIF seq IS NULL THEN
        RETURN 'no_wallet';
    END IF;
    RETURN CASE
        WHEN rule.start_up_sign < 0 AND amount > start_up_outstanding THEN 'amount_out_of_range'
        WHEN rule.available_sign < 0 AND amount > available THEN 'insufficient_balance'
        WHEN rule.kind = 'withdraw' AND start_up_outstanding > 0 THEN 'start_up_funds_not_returned'
        WHEN rule.available_sign > 0 AND available > balance_limit() - amount THEN 'balance_limit'
        WHEN rule.start_up_sign > 0 AND start_up_outstanding > balance_limit() - amount THEN 'balance_limit'
        ELSE 'applied' END;
END $$;

-- Decides about the commands, in memory, user by user and in the order given within a user. The caller holds the locks
-- on the wallets.
CREATE FUNCTION decide_commands(
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
                    d.seq, d.available, d.start_up_outstanding) END;
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

-- What others are told of a booked movement besides TransactionPosted: what people and the audit log care about.
CREATE FUNCTION told_of_movement(d posting_step, withdrawal withdrawals) RETURNS TABLE (name text, data json)
LANGUAGE sql STABLE AS $$
    SELECT 'DepositCredited', json_build_object(
        'transactionId', d.id, 'userId', d.user_id, 'amountMinor', d.first_part::text, 'time', d.posted_at_text)
    WHERE d.type = 'deposit'
    UNION ALL
    SELECT 'StaffPostingMade', json_build_object(
        'transactionId', d.id, 'userId', d.user_id, 'type', d.type, 'amountMinor', d.first_part::text,
        'time', d.posted_at_text)
    WHERE d.type IN ('chargeback', 'recharge_deduction', 'membership', 'start_up_grant', 'start_up_return')
    UNION ALL
    SELECT 'WithdrawalStatusChanged', json_build_object(
        'withdrawalId', d.reference, 'userId', d.user_id, 'amountMinor', d.first_part::text,
        'status', CASE d.type WHEN 'withdraw' THEN 'pending' WHEN 'withdrawal_paid' THEN 'paid' ELSE 'rejected' END,
        'feeMinor', coalesce(withdrawal.fee, (d.details ->> 'fee')::bigint)::text,
        'method', coalesce(withdrawal.method::text, d.details ->> 'method'),
        'reason', CASE WHEN d.type = 'withdrawal_rejected' THEN d.remark ELSE '' END)
    WHERE d.type IN ('withdraw', 'withdrawal_paid', 'withdrawal_rejected')
    UNION ALL
    SELECT 'StaffActed', json_build_object(
        'staffId', d.staff_id, 'action', d.details ->> 'action', 'target', coalesce(d.reference, d.user_id),
        'userId', d.user_id, 'reason', d.details ->> 'reason', 'requestId', d.details ->> 'request_id',
        'beforeJson', json_build_object(
            'available_minor', d.available - d.available_change, 'withdrawing_minor', d.withdrawing - d.withdrawing_change,
            'start_up_outstanding_minor', d.start_up_outstanding - d.start_up_change)::text,
        'afterJson', json_build_object(
            'available_minor', d.available, 'withdrawing_minor', d.withdrawing,
            'start_up_outstanding_minor', d.start_up_outstanding, 'type', d.type, 'amount_minor', d.first_part,
            'transaction_id', d.id)::text,
        'time', d.posted_at_text)
    WHERE d.staff_id IS NOT NULL
$$;

CREATE FUNCTION post_commands(
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
