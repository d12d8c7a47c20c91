-- Payment batches: withdrawals that the bank pays with one file.

CREATE TYPE payment_batch_state AS ENUM ('proposed', 'released', 'dissolved');

CREATE TABLE payment_batches (
    -- Grows with time.
    id              uuid PRIMARY KEY,
    method          withdrawal_method NOT NULL,
    state           payment_batch_state NOT NULL DEFAULT 'proposed',
    reason          text NOT NULL,
    proposed_by     uuid NOT NULL,
    proposed_at     timestamptz NOT NULL,
    decided_by      uuid,
    decided_at      timestamptz,
    decision_reason text NOT NULL DEFAULT '',
    CONSTRAINT payment_batches_decided CHECK ((state = 'proposed') = (decided_by IS NULL)),
    CONSTRAINT payment_batches_decided_at CHECK ((decided_by IS NULL) = (decided_at IS NULL))
);
CREATE INDEX payment_batches_state ON payment_batches (state, id);

-- A batch is decided once.
CREATE TRIGGER payment_batches_decided_once BEFORE UPDATE ON payment_batches
    FOR EACH ROW WHEN (OLD.state <> 'proposed') EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payment_batches_kept BEFORE DELETE OR TRUNCATE ON payment_batches
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Set and cleared together with the user's wallet, as all that a posting reads. The release before does not know it.
ALTER TABLE withdrawals ADD COLUMN payment_batch_id uuid;
-- Who asked to take it out of a released batch; another person confirms.
ALTER TABLE withdrawals ADD COLUMN take_out_asked_by uuid;

-- The bank may have the file: what is in a batch is not given back to its user, not even by the release before.
-- squawk-ignore ban-new-write-restriction
ALTER TABLE withdrawals ADD CONSTRAINT withdrawals_batched CHECK (status <> 'rejected' OR payment_batch_id IS NULL)
    NOT VALID;
-- squawk-ignore ban-new-write-restriction
ALTER TABLE withdrawals ADD CONSTRAINT withdrawals_take_out CHECK (take_out_asked_by IS NULL OR payment_batch_id IS NOT NULL)
    NOT VALID;
