-- Withdrawals wait for a while after a change of what protects a wallet: the login password, the transaction password, the
-- destinations.
--
-- Every change sets protection_changed_at with the wallet's row locked, in the transaction of the change. A withdrawal is
-- held against it in decide_commands, under the same lock: whatever destination a withdrawal has read before, one that was
-- put in its place meanwhile is seen there, and the withdrawal waits.

ALTER TYPE posting_outcome ADD VALUE 'withdrawal_cooling_off';

ALTER TABLE wallets
    -- The last such change; null before the first. Setting up what was not there yet is none.
    ADD COLUMN protection_changed_at  timestamptz,
    -- Whether staff ever removed the transaction password: setting one after that is a change.
    ADD COLUMN pay_password_was_reset boolean NOT NULL DEFAULT false;

ALTER TYPE posting_step ADD ATTRIBUTE protection_changed_at timestamptz;

-- As in 0005_commands.sql; new is that an exchange order may be closed (0006_closed_exchanges.sql), and that a withdrawal which
-- nothing else speaks against may have to wait.
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
               wallet.has_pay_password, wallet.has_bank_card, wallet.has_wallet_address, wallet.protection_changed_at,
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
            d.protection_changed_at := c.protection_changed_at;
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
            -- No hours where withdrawals do not wait.
            IF c.kind = 'withdraw' AND d.outcome = 'applied'
               AND d.protection_changed_at > p_now - make_interval(hours => (d.details ->> 'cooling_off_hours')::integer)
            THEN
                d.outcome := 'withdrawal_cooling_off';
            END IF;
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
