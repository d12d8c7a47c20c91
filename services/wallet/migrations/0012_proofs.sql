-- The proof of the books that is made in the background: when a replica began it last, and what the last that finished found.
CREATE TABLE proofs (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    begun_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz,
    outcome     jsonb,
    CHECK ((finished_at IS NULL) = (outcome IS NULL))
);
INSERT INTO proofs DEFAULT VALUES;
