-- Devices that an account was used on, and guesses over many names or codes. Replicas of the release before know
-- neither.

-- A token that a login hands to the device, so that failures of strangers do not lock its holder out. It opens nothing
-- by itself and has 256 random bits, so a fast hash without salt is enough. Deleted when it has not been used for long.
-- No foreign key: accounts are never deleted, and the check of one would hold up logins.
CREATE TABLE devices (
    token_hash   bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    account_kind text NOT NULL CHECK (account_kind IN ('user', 'staff')),
    account_id   uuid NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL
);
CREATE INDEX devices_account ON devices (account_id, account_kind, last_used_at);
CREATE INDEX devices_last_used ON devices (last_used_at);

-- Wrong passwords and wrong authorisation codes of one address, one network or one account within an hour, over all
-- names and codes. What is counted is in the digest only. Rows of past hours are deleted.
CREATE TABLE guesses (
    scope    bytea PRIMARY KEY CHECK (length(scope) = 32),
    -- When the hour began.
    began_at timestamptz NOT NULL,
    failures integer NOT NULL CHECK (failures >= 0),
    -- Being evaluated at this moment.
    pending  integer NOT NULL CHECK (pending >= 0)
);
CREATE INDEX guesses_began ON guesses (began_at);
