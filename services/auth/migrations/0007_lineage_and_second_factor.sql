-- Who stands behind an account of staff, and its second factor. Nothing here is known to replicas of the release before,
-- which leave the new columns null.

ALTER TABLE staff
    -- Null for a founder, and for accounts of before. No reference: adfolioctl makes accounts and has none.
    ADD COLUMN made_by             uuid,
    -- Who confirmed that another person than its maker holds it.
    ADD COLUMN confirmed_by        uuid,
    ADD COLUMN confirmed_at        timestamptz,
    -- Who last reset its password or second factor.
    ADD COLUMN reset_by            uuid,
    ADD COLUMN reset_at            timestamptz,
    -- The secret of the second factor, encrypted with a key that is not in the database; null without one.
    ADD COLUMN factor_secret       bytea,
    -- Null until a first code confirms the enrolment.
    ADD COLUMN factor_confirmed_at timestamptz,
    -- The time step of the last accepted code: none is accepted twice.
    ADD COLUMN factor_last_step    bigint;

-- When the second factor was last shown in a session of staff; null: never.
ALTER TABLE sessions ADD COLUMN factor_at timestamptz;

-- Codes that replace the second factor once. A code has 80 random bits, so a fast hash without salt is enough.
CREATE TABLE staff_recovery_codes (
    staff_id  uuid  NOT NULL REFERENCES staff (id),
    code_hash bytea NOT NULL CHECK (length(code_hash) = 32),
    used_at   timestamptz,
    PRIMARY KEY (staff_id, code_hash)
);
