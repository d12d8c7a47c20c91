-- Who may report, how, and with which keys files are signed. A source that is not registered reports in any way, unsigned.

CREATE TABLE report_sources (
    source        text PRIMARY KEY CHECK (source ~ '^[a-z0-9_-]{1,64}$'),
    channels      text[] NOT NULL
        CHECK (cardinality(channels) BETWEEN 1 AND 2 AND channels <@ ARRAY['file', 'network']),
    registered_at timestamptz NOT NULL
);

CREATE TABLE report_source_keys (
    -- RFC 7638 thumbprint of the key.
    kid        text CONSTRAINT report_source_keys_kid PRIMARY KEY CHECK (length(kid) = 43),
    source     text NOT NULL REFERENCES report_sources (source),
    -- Ed25519.
    public_key bytea NOT NULL CHECK (length(public_key) = 32),
    added_by   uuid NOT NULL,
    added_at   timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX report_source_keys_source ON report_source_keys (source, added_at);

-- The key that signed the file. No foreign key: keys are never deleted.
ALTER TABLE delivery_imports ADD COLUMN signed_by_kid text;
