-- When staff accounts end, and which login counters belong to one account.

ALTER TABLE staff
    -- The defaults are for replicas of the release before, which write no other.
    -- squawk-ignore ban-new-write-restriction
    ADD COLUMN state                text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'disabled')),
    -- Set with a one-time password.
    -- squawk-ignore ban-new-write-restriction
    ADD COLUMN must_change_password boolean NOT NULL DEFAULT false,
    -- Null before the first login; the release before writes none.
    ADD COLUMN last_login_at        timestamptz;

-- The scope of the account that a counter belongs to, so that all counters of an account can be cleared: the name and the
-- addresses are in the digests only. Null in rows that the release before wrote, which count for minutes.
-- squawk-ignore ban-new-write-restriction
ALTER TABLE login_attempts ADD COLUMN account bytea CHECK (length(account) = 32);
-- Only logins of the last minutes have rows.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX login_attempts_account ON login_attempts (account);
