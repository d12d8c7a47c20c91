-- How postings come into the ledger: one call of post_batch per batch, one round trip, one commit.
--
-- post_batch locks the wallets of the batch in order of id (so batches never deadlock), lets decide_postings accept or
-- refuse each command by itself against the locked rows, and writes everything that was accepted. A caller passes arrays
-- of equal length; the element at one place is one command. A batch must not name an order or a key twice.

-- A deposit needs a wallet; a first deposit opens it, for a user that is known to exist.
CREATE TYPE posting_kind AS ENUM ('deposit', 'first_deposit', 'hold', 'record_delivery', 'release', 'settle');

-- What became of a command. All but the first two changed nothing.
CREATE TYPE posting_outcome AS ENUM (
    'applied', 'repeated', 'insufficient_balance', 'no_wallet', 'unknown_order', 'key_reused', 'order_closed',
    'consumed_out_of_range', 'consumed_differs', 'revenue_differs', 'share_out_of_range', 'balance_limit'
);

-- One row per command and step; a step writes at most one transaction (`booked`). The fields that begin with first_ are the
-- first answer of a repeated deposit.
CREATE TYPE posting_decision AS (
    ord                     bigint,
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
    available               bigint,
    to_be_consumed          bigint,
    to_be_settled           bigint,
    withdrawing             bigint,
    discount_total          bigint,
    start_up_outstanding    bigint,
    previous_hash           bytea,
    hash                    bytea,
    idempotency_key         text,
    request_digest          bytea,
    staff_id                uuid,
    remark                  text,
    traceparent             text,
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
    first_hash              bytea
);

-- The canonical bytes of a transaction, which its hash covers after the previous hash. Fixed for ever: clients and
-- auditors compute the same outside.
CREATE FUNCTION canonical_bytes(
    user_id uuid, seq bigint, posted_at_text text, id uuid, type transaction_type,
    available bigint, to_be_consumed bigint, to_be_settled bigint, withdrawing bigint
) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT convert_to(concat_ws('|', 'adfolio-chain-1', user_id, seq, posted_at_text, id, type,
                                available, to_be_consumed, to_be_settled, withdrawing), 'UTF8')
$$;

-- RFC 3339 in UTC with exactly six decimals, as in canonical bytes and events.
CREATE FUNCTION canonical_time(posted_at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT to_char(posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- Decides about the commands, in memory, user by user and in the order given within a user. The caller holds the locks
-- on the wallets.
CREATE FUNCTION decide_postings(
    p_now timestamptz, p_kinds posting_kind[], p_users uuid[], p_orders uuid[], p_keys text[], p_digests bytea[],
    p_amounts bigint[], p_second_amounts bigint[], p_shares bigint[], p_versions bigint[],
    p_remarks text[], p_staff uuid[], p_ids uuid[], p_second_ids uuid[], p_traceparents text[]
) RETURNS SETOF posting_decision LANGUAGE plpgsql AS $$
DECLARE
    c record;
    d posting_decision;
    open_minor bigint;
    returned_minor bigint;
    last_posted_at timestamptz;
    balance_limit CONSTANT bigint := 1000000000000000000;
BEGIN
    FOR c IN
        SELECT x.*, step, last_step,
               lag(x.user_id) OVER w IS DISTINCT FROM x.user_id AS first_of_user,
               wallet.available, wallet.to_be_consumed, wallet.to_be_settled, wallet.withdrawing, wallet.discount_total,
               wallet.start_up_outstanding, wallet.seq, wallet.chain_head, wallet.last_posted_at,
               h.user_id AS hold_user, h.state AS hold_state, h.paid, h.discount, h.version AS hold_version, h.consumed,
               h.revenue, h.paid_returned, h.discount_returned, h.paid_returned_at_settle, h.platform_share,
               t.id AS first_id, t.request_digest AS first_digest, t.posted_at AS first_posted_at,
               t.available_after AS first_available, t.hash AS first_hash
        FROM unnest(p_kinds, p_users, p_orders, p_keys, p_digests, p_amounts, p_second_amounts, p_shares, p_versions,
                    p_remarks, p_staff, p_ids, p_second_ids, p_traceparents)
             WITH ORDINALITY AS x (kind, user_id, order_id, key, digest, amount, second_amount, share, version, remark,
                                   staff_id, id, second_id, traceparent, ord)
        CROSS JOIN LATERAL (
            SELECT 1 AS step, x.kind NOT IN ('record_delivery', 'settle') AS last_step
            UNION ALL
            SELECT 2, true WHERE x.kind IN ('record_delivery', 'settle')
        ) AS s
        LEFT JOIN wallets wallet ON wallet.user_id = x.user_id
        LEFT JOIN holds h ON h.order_id = x.order_id
        LEFT JOIN transactions t ON t.idempotency_key = x.key
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
            d.seq := c.seq;
            d.hash := c.chain_head;
            last_posted_at := c.last_posted_at;
        END IF;
        d.booked := false;

        IF c.step = 1 THEN
            d.ord := c.ord;
            d.outcome := 'applied';
            d.order_id := c.order_id;
            d.hold_change := CASE WHEN c.hold_state IS NULL THEN 'added' ELSE 'changed' END;
            d.hold_state := c.hold_state;
            d.paid := coalesce(c.paid, 0);
            d.discount := coalesce(c.discount, 0);
            d.version := coalesce(c.hold_version, 0);
            d.consumed := coalesce(c.consumed, 0);
            d.revenue := coalesce(c.revenue, 0);
            d.paid_returned := coalesce(c.paid_returned, 0);
            d.discount_returned := coalesce(c.discount_returned, 0);
            d.paid_returned_at_settle := coalesce(c.paid_returned_at_settle, 0);
            d.platform_share := coalesce(c.platform_share, 0);
            d.traceparent := c.traceparent;

            IF c.kind IN ('deposit', 'first_deposit') THEN
                IF c.first_digest <> c.digest THEN
                    d.outcome := 'key_reused';
                ELSIF c.first_id IS NOT NULL THEN
                    d.outcome := 'repeated';
                ELSIF c.seq IS NULL THEN
                    d.outcome := 'no_wallet';
                ELSIF d.available > balance_limit - c.amount THEN
                    d.outcome := 'balance_limit';
                END IF;
            ELSIF c.kind = 'hold' THEN
                IF c.hold_state IS NULL THEN
                    IF c.amount > d.available THEN
                        d.outcome := 'insufficient_balance';
                    ELSIF d.to_be_consumed > balance_limit - c.amount - c.second_amount THEN
                        d.outcome := 'balance_limit';
                    END IF;
                ELSIF c.hold_user <> c.user_id THEN
                    d.outcome := 'key_reused';
                ELSIF c.paid = 0 AND c.discount = 0 THEN
                    d.outcome := 'order_closed';
                ELSIF c.paid <> c.amount OR c.discount <> c.second_amount THEN
                    d.outcome := 'key_reused';
                ELSIF c.hold_state <> 'held' THEN
                    d.outcome := 'order_closed';
                ELSE
                    d.outcome := 'repeated';
                END IF;
            ELSIF c.kind = 'release' THEN
                IF c.hold_user <> c.user_id THEN
                    d.outcome := 'unknown_order';
                ELSIF c.hold_state = 'settled' THEN
                    d.outcome := 'repeated';
                ELSIF d.available > balance_limit - d.paid THEN
                    d.outcome := 'balance_limit';
                END IF;
            -- What is left speaks of an order that has held something.
            ELSIF c.hold_user IS DISTINCT FROM c.user_id OR (c.paid = 0 AND c.discount = 0) THEN
                d.outcome := 'unknown_order';
            ELSIF c.kind = 'record_delivery' THEN
                IF c.version <= c.hold_version THEN
                    d.outcome := 'repeated';
                ELSIF c.hold_state = 'settled' THEN
                    d.outcome := 'order_closed';
                ELSIF c.amount > c.paid + c.discount - c.paid_returned - c.discount_returned THEN
                    d.outcome := 'consumed_out_of_range';
                ELSIF d.to_be_settled > balance_limit - c.second_amount OR d.to_be_consumed > balance_limit - c.consumed THEN
                    d.outcome := 'balance_limit';
                END IF;
            ELSE -- settle
                IF c.hold_state = 'settled' THEN
                    d.outcome := CASE WHEN (c.consumed, c.revenue, c.platform_share) = (c.amount, c.second_amount, c.share)
                                      THEN 'repeated' ELSE 'key_reused' END;
                ELSIF c.consumed <> c.amount THEN
                    d.outcome := 'consumed_differs';
                ELSIF c.revenue <> c.second_amount THEN
                    d.outcome := 'revenue_differs';
                ELSIF c.share > c.revenue THEN
                    d.outcome := 'share_out_of_range';
                ELSIF d.available > balance_limit - c.revenue - c.paid THEN
                    d.outcome := 'balance_limit';
                END IF;
            END IF;
        END IF;

        IF d.outcome = 'applied' THEN
            d.second_part := 0;
            d.available_change := 0;
            d.to_be_consumed_change := 0;
            d.to_be_settled_change := 0;
            d.withdrawing_change := 0;

            IF c.kind IN ('deposit', 'first_deposit') THEN
                d.type := 'deposit';
                d.first_part := c.amount;
                d.available_change := c.amount;
                d.hold_change := NULL;
            ELSIF c.kind = 'hold' THEN
                d.type := 'hold';
                d.first_part := c.amount;
                d.second_part := c.second_amount;
                d.available_change := -c.amount;
                d.to_be_consumed_change := c.amount + c.second_amount;
                d.discount_total := d.discount_total + c.second_amount;
                d.hold_state := 'held';
                d.paid := c.amount;
                d.discount := c.second_amount;
            ELSIF c.kind = 'record_delivery' AND c.step = 1 THEN
                d.type := 'consume';
                d.first_part := c.amount - d.consumed;
                d.to_be_consumed_change := -d.first_part;
                d.consumed := c.amount;
                d.version := c.version;
            ELSIF c.kind = 'record_delivery' THEN
                d.type := 'accrue';
                d.first_part := c.second_amount - d.revenue;
                d.to_be_settled_change := d.first_part;
                d.revenue := c.second_amount;
            ELSIF c.step = 1 THEN -- release, also before a settlement
                d.type := 'release';
                d.hold_state := CASE WHEN c.kind = 'settle' THEN 'settled' ELSE 'released' END;
                open_minor := d.paid + d.discount - d.consumed - d.paid_returned - d.discount_returned;
                IF open_minor > 0 THEN
                    -- In the proportion paid, over all that was ever returned, so that several returns round as one; what
                    -- does not divide is the user's.
                    returned_minor := d.paid_returned + d.discount_returned + open_minor;
                    d.second_part := div(returned_minor::numeric * d.discount, d.paid + d.discount) - d.discount_returned;
                    d.first_part := open_minor - d.second_part;
                    d.available_change := d.first_part;
                    d.to_be_consumed_change := -open_minor;
                    d.discount_total := d.discount_total - d.second_part;
                    d.paid_returned := d.paid_returned + d.first_part;
                    d.discount_returned := d.discount_returned + d.second_part;
                    IF c.kind = 'settle' THEN
                        d.paid_returned_at_settle := d.first_part;
                    END IF;
                END IF;
            ELSE -- settle
                d.type := 'settle';
                d.first_part := d.revenue;
                d.second_part := c.share;
                d.platform_share := c.share;
                d.available_change := d.revenue - c.share;
                d.to_be_settled_change := -d.revenue;
            END IF;

            -- A step that moves nothing leaves no transaction: a settlement without revenue, the closing of an order that
            -- held nothing, a report that changed only one of spend and revenue.
            IF d.available_change <> 0 OR d.to_be_consumed_change <> 0 OR d.to_be_settled_change <> 0 THEN
                d.booked := true;
                d.id := CASE WHEN c.step = 1 THEN c.id ELSE c.second_id END;
                d.available := d.available + d.available_change;
                d.to_be_consumed := d.to_be_consumed + d.to_be_consumed_change;
                d.to_be_settled := d.to_be_settled + d.to_be_settled_change;
                d.seq := d.seq + 1;
                d.idempotency_key := c.key;
                d.request_digest := c.digest;
                d.staff_id := c.staff_id;
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
            RETURN NEXT d;
        END IF;
    END LOOP;
END $$;

CREATE FUNCTION post_batch(
    p_now timestamptz, p_kinds posting_kind[], p_users uuid[], p_orders uuid[], p_keys text[], p_digests bytea[],
    p_amounts bigint[], p_second_amounts bigint[], p_shares bigint[], p_versions bigint[],
    p_remarks text[], p_staff uuid[], p_ids uuid[], p_second_ids uuid[], p_traceparents text[]
) RETURNS SETOF posting_decision LANGUAGE plpgsql
-- Planning for each call would cost more than the call; and the one plan must be the one by index, whatever the statistics
-- of tables that were empty a moment ago say.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
BEGIN
    -- Wallets come into being with the first command that may post to them. In order of id, like the locks below.
    INSERT INTO wallets (user_id)
    SELECT DISTINCT x.user_id FROM unnest(p_kinds, p_users) AS x (kind, user_id)
    WHERE x.kind IN ('first_deposit', 'hold', 'release') AND NOT EXISTS (SELECT FROM wallets w WHERE w.user_id = x.user_id)
    ORDER BY x.user_id
    ON CONFLICT DO NOTHING;

    -- Everything read after this is as the last batch of these users left it: each statement takes a new snapshot.
    PERFORM FROM wallets WHERE user_id = ANY (p_users) ORDER BY user_id FOR UPDATE;

    RETURN QUERY
    WITH decided AS MATERIALIZED (
        SELECT * FROM decide_postings(p_now, p_kinds, p_users, p_orders, p_keys, p_digests, p_amounts, p_second_amounts,
                                      p_shares, p_versions, p_remarks, p_staff, p_ids, p_second_ids, p_traceparents)
    ), transactions_added AS (
        INSERT INTO transactions (user_id, seq, id, type, posted_at, available_change, to_be_consumed_change,
                                  to_be_settled_change, withdrawing_change, available_after, to_be_consumed_after,
                                  to_be_settled_after, withdrawing_after, hash, order_id, order_version,
                                  idempotency_key, request_digest, staff_id, remark)
        SELECT user_id, seq, id, type, posted_at, available_change, to_be_consumed_change, to_be_settled_change,
               withdrawing_change, available, to_be_consumed, to_be_settled, withdrawing, hash, order_id,
               CASE WHEN order_id IS NOT NULL THEN version END, idempotency_key, request_digest, staff_id, remark
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
                      '","reference":"', order_id,
                      '","previousHash":"', encode(previous_hash, 'hex'),
                      '","hash":"', encode(hash, 'hex'), '"}')::json,
               traceparent
        FROM decided WHERE booked
        ORDER BY user_id, seq
    ), deposits_told AS (
        INSERT INTO outbox (event_id, event_type, subject, data, traceparent)
        SELECT gen_random_uuid(), 'adfolio.wallet.v1.DepositCredited', user_id::text,
               concat('{"transactionId":"', id, '","userId":"', user_id, '","amountMinor":"', available_change,
                      '","time":"', posted_at_text, '"}')::json,
               traceparent
        FROM decided WHERE booked AND type = 'deposit'
        ORDER BY user_id, seq
    )
    SELECT * FROM decided WHERE last_of_command;
END $$;
