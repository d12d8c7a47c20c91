-- What one member of staff posted without a second person: the sums of 24 hours decide who needs one (FOUR_EYES_ABOVE).
-- A row is written with its posting, under a lock on the member of staff and on the user.
CREATE TABLE lone_postings (
    transaction_id uuid PRIMARY KEY,
    user_id        uuid NOT NULL,
    staff_id       uuid NOT NULL,
    -- Of a withdrawal what was asked for, which is what its payment moves.
    amount         bigint NOT NULL CHECK (amount > 0),
    posted_at      timestamptz NOT NULL
);
CREATE INDEX lone_postings_staff ON lone_postings (staff_id, posted_at) INCLUDE (amount);
CREATE INDEX lone_postings_user ON lone_postings (user_id, posted_at) INCLUDE (amount);

-- Nothing that counts is taken away.
CREATE TRIGGER lone_postings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON lone_postings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The release before does not know the table.
-- squawk-ignore ban-revoke
REVOKE UPDATE, DELETE, TRUNCATE ON lone_postings FROM PUBLIC, CURRENT_USER;
