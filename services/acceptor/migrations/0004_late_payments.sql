-- An acceptor may pay after the order has ended: staff complete it then, and wallet is asked for the money once more.
-- Such an order is `completing` again, or, once wallet has refused, on its way back to how it had ended.
-- The release before leaves the columns as they are by default, and so keeps the constraints.
ALTER TABLE exchanges
    -- How it had ended, and when.
    -- squawk-ignore ban-new-write-restriction
    ADD COLUMN late_from      text CHECK (late_from IN ('cancelled', 'expired')),
    ADD COLUMN late_ended_at  timestamptz,
    -- Wallet knows the attempt to take the money once more by it.
    ADD COLUMN late_attempt   uuid,
    -- What the wallet lacked when it refused.
    -- squawk-ignore ban-new-write-restriction
    ADD COLUMN refusal_missing_minor bigint CHECK (refusal_missing_minor > 0);
-- Not for rows of before: none of them has any of it, and to look would keep others waiting.
-- squawk-ignore ban-new-write-restriction
ALTER TABLE exchanges ADD CONSTRAINT exchanges_late CHECK (
    (late_from IS NULL) = (late_ended_at IS NULL) AND (late_from IS NULL) = (late_attempt IS NULL)) NOT VALID;
