-- Hosts that vouch for their users, and how a session began.

-- Native host shells. Each signs assertions with its own keys.
CREATE TABLE hosts (
    id         uuid PRIMARY KEY,
    name       text NOT NULL CONSTRAINT hosts_name UNIQUE CHECK (length(name) BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL
);

CREATE TABLE host_keys (
    -- RFC 7638 thumbprint of the key.
    kid        text CONSTRAINT host_keys_kid PRIMARY KEY CHECK (length(kid) = 43),
    host_id    uuid NOT NULL REFERENCES hosts (id),
    -- Ed25519.
    public_key bytea NOT NULL CHECK (length(public_key) = 32),
    added_at   timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX host_keys_host ON host_keys (host_id, added_at);

-- Assertions that have opened a session, until they expire: each opens one.
CREATE TABLE host_assertions (
    host_id    uuid REFERENCES hosts (id),
    jti        text CHECK (length(jti) BETWEEN 1 AND 128),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (host_id, jti)
);
CREATE INDEX host_assertions_expiry ON host_assertions (expires_at);

-- The registered host whose user it is. external_id is then the digest of host and subject, so that hosts cannot name each
-- other's users; without a host it is the id that staff typed. No foreign key, here and below: hosts and keys are never
-- deleted, and the check of one would hold up logins.
ALTER TABLE users ADD COLUMN host_id uuid;

ALTER TABLE sessions
    -- The default is for replicas of the release before, which write no other.
    -- squawk-ignore ban-new-write-restriction
    ADD COLUMN origin       text NOT NULL DEFAULT 'login' CHECK (origin IN ('login', 'registration', 'host', 'staff_token')),
    -- When its holder proved who they are after it was opened; null before the first time.
    ADD COLUMN confirmed_at timestamptz,
    -- The key of the assertion that opened it. It ends with that key.
    ADD COLUMN host_kid     text;
