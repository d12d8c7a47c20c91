-- What staff asked for above the amount from which a second member of staff must approve (FOUR_EYES_ABOVE).

-- failed: approved when it could no longer be posted.
CREATE TYPE approval_state AS ENUM ('pending', 'approved', 'rejected', 'expired', 'failed');

-- A request keeps the whole posting as it was asked for; approved, it is posted exactly so, under the key of the call that
-- asked and in the transaction of the decision. Ids grow with time.
CREATE TABLE approvals (
    id              uuid PRIMARY KEY,
    kind            transaction_type NOT NULL CHECK (kind IN ('deposit', 'chargeback', 'recharge_deduction', 'membership',
                                                              'start_up_grant', 'start_up_return', 'withdrawal_paid')),
    user_id         uuid NOT NULL,
    -- The withdrawal to pay.
    reference       uuid,
    -- Of a withdrawal what was asked for, which is what its payment moves.
    amount          bigint NOT NULL CHECK (amount > 0),
    remark          text NOT NULL,
    posting_key     text COLLATE "C" NOT NULL CHECK (length(posting_key) <= 400),
    request_digest  sha256_hash NOT NULL,
    -- Why it was asked for and by which call: what the audit log will say of the posting.
    request_reason  text NOT NULL,
    request_id      text NOT NULL,
    requested_by    uuid NOT NULL,
    requested_at    timestamptz NOT NULL,
    state           approval_state NOT NULL DEFAULT 'pending',
    decided_by      uuid,
    decided_at      timestamptz,
    decision_reason text NOT NULL DEFAULT '',
    transaction_id  uuid,
    -- Why the posting was refused, and which input of it.
    failure         text,
    failure_field   text,
    CONSTRAINT approvals_withdrawal CHECK ((kind = 'withdrawal_paid') = (reference IS NOT NULL)),
    CONSTRAINT approvals_second_person CHECK (decided_by <> requested_by),
    CONSTRAINT approvals_decided CHECK ((state IN ('approved', 'rejected', 'failed')) = (decided_by IS NOT NULL)),
    CONSTRAINT approvals_decided_at CHECK ((decided_by IS NULL) = (decided_at IS NULL)),
    CONSTRAINT approvals_posted CHECK ((state = 'approved') = (transaction_id IS NOT NULL)),
    CONSTRAINT approvals_failed CHECK ((state = 'failed') = (failure IS NOT NULL)),
    CONSTRAINT approvals_failure_field CHECK (failure_field IS NULL OR failure IS NOT NULL)
);
CREATE UNIQUE INDEX approvals_posting_key ON approvals (posting_key);
-- While a request waits, the same member's identical one is the same one.
CREATE UNIQUE INDEX approvals_open ON approvals (requested_by, request_digest) WHERE state = 'pending';
CREATE INDEX approvals_state ON approvals (state, id);

-- A request changes once, from pending to what became of it, and is never taken away.
CREATE FUNCTION refuse_second_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a decided approval never changes' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER approvals_decided_once BEFORE UPDATE ON approvals
    FOR EACH ROW WHEN (OLD.state <> 'pending') EXECUTE FUNCTION refuse_second_decision();
CREATE TRIGGER approvals_kept BEFORE DELETE OR TRUNCATE ON approvals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
