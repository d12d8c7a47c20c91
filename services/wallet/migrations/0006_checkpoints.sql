-- Checkpoints: an append-only Merkle log (RFC 6962) of the heads of users' chains, whose signed roots are published. The log
-- keeps every head that was ever published, so a chain that is rewritten later no longer fits it.

-- The leaves. Each head is published once.
CREATE TABLE published_heads (
    index   bigint PRIMARY KEY CHECK (index >= 0),
    user_id uuid NOT NULL,
    seq     bigint NOT NULL CHECK (seq >= 1),
    hash    sha256_hash NOT NULL
);
CREATE UNIQUE INDEX published_heads_user ON published_heads (user_id, seq);

-- The roots of complete subtrees of 64 leaves and more: the next checkpoint and every proof are made from a few of them, and
-- from the leaves of one or two subtrees of 64.
CREATE TABLE published_subtrees (
    level smallint NOT NULL CHECK (level BETWEEN 6 AND 62),
    index bigint NOT NULL CHECK (index >= 0),
    hash  sha256_hash NOT NULL,
    PRIMARY KEY (level, index)
);

CREATE TABLE checkpoints (
    number  bigint PRIMARY KEY CHECK (number >= 1),
    -- Leaves of the log.
    size    bigint NOT NULL CHECK (size >= 1),
    root    sha256_hash NOT NULL,
    made_at timestamptz NOT NULL,
    -- The signed note, as it is published.
    note    text NOT NULL
);

-- When a replica published last. The row's lock keeps replicas from publishing side by side.
CREATE TABLE checkpoint_turns (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    begun_at timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO checkpoint_turns DEFAULT VALUES;

CREATE TRIGGER published_heads_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON published_heads
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER published_subtrees_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON published_subtrees
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER checkpoints_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The release before does not know the tables.
-- squawk-ignore ban-revoke
REVOKE UPDATE, DELETE, TRUNCATE ON published_heads, published_subtrees, checkpoints FROM PUBLIC, CURRENT_USER;
