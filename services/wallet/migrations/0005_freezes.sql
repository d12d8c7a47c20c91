-- Freezes: nothing leaves a wallet whose owner has said that somebody else uses the account.

-- Null while nothing is frozen. The release before does not know the column: until its replicas are gone, they let money
-- leave a frozen wallet.
ALTER TABLE wallets ADD COLUMN frozen_at timestamptz;

-- One row for each freeze. It ends once the owner and a member of staff have agreed to it; a new freeze takes back what
-- either has said. Changes only together with the user's wallet.
CREATE TABLE freezes (
    -- Grows with time.
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL,
    frozen_at    timestamptz NOT NULL,
    -- As the owner said it.
    reason       text NOT NULL,
    owner_at     timestamptz,
    staff_at     timestamptz,
    staff_id     uuid,
    staff_reason text NOT NULL DEFAULT '',
    lifted_at    timestamptz,
    CONSTRAINT freezes_staff CHECK ((staff_at IS NULL) = (staff_id IS NULL)),
    CONSTRAINT freezes_lifted_by_both CHECK (lifted_at IS NULL OR (owner_at IS NOT NULL AND staff_at IS NOT NULL))
);
-- A wallet is frozen once at a time. Staff look at these.
CREATE UNIQUE INDEX freezes_open ON freezes (user_id) WHERE lifted_at IS NULL;
CREATE INDEX freezes_waiting ON freezes (id) WHERE lifted_at IS NULL;
-- When one ended last.
CREATE INDEX freezes_lifted ON freezes (user_id, lifted_at) WHERE lifted_at IS NOT NULL;

-- What was frozen is kept, and what was lifted stays as it is.
CREATE TRIGGER freezes_lifted_once BEFORE UPDATE ON freezes
    FOR EACH ROW WHEN (OLD.lifted_at IS NOT NULL) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER freezes_kept BEFORE DELETE OR TRUNCATE ON freezes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
