-- Passkeys of staff: a second factor beside the authenticator app, and a login without a password. The release before does
-- not know them: it neither asks for one nor lets a member in by one.

CREATE TABLE staff_passkeys (
    -- Grows with time.
    id            uuid PRIMARY KEY,
    staff_id      uuid NOT NULL REFERENCES staff (id),
    -- As the device knows it.
    credential_id bytea NOT NULL CONSTRAINT staff_passkeys_credential_id UNIQUE,
    -- The public key, with the counter and the flags of the last use, as webauthn-rs stores them.
    credential    jsonb NOT NULL,
    name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz
);
CREATE INDEX staff_passkeys_staff ON staff_passkeys (staff_id, id);

-- Ceremonies that ended. Each ends once, and is void after its time without any row.
CREATE TABLE used_ceremonies (
    -- SHA-256 of what the client was given.
    digest     bytea PRIMARY KEY CHECK (length(digest) = 32),
    expires_at timestamptz NOT NULL
);
CREATE INDEX used_ceremonies_expired ON used_ceremonies (expires_at);
