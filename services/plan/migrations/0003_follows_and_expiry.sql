-- Following proxy operators, and the end of pushed plans that nobody put.
-- Order of locks: as in 0001; follows come after user_totals, operators in order of id after follows.

ALTER TABLE operators ADD COLUMN followers bigint NOT NULL DEFAULT 0 CHECK (followers >= 0);

-- One row for each stretch of following. At most one of a user is open.
CREATE TABLE follows (
    id          uuid PRIMARY KEY,
    user_id     uuid NOT NULL,
    operator_id uuid NOT NULL REFERENCES operators,
    followed_at timestamptz NOT NULL,
    ended_at    timestamptz,
    CONSTRAINT follows_in_time CHECK (ended_at >= followed_at)
);
CREATE UNIQUE INDEX follows_current ON follows (user_id) INCLUDE (operator_id) WHERE ended_at IS NULL;
CREATE INDEX follows_of_user ON follows (user_id, id);
CREATE INDEX follows_of_operator ON follows (operator_id, user_id) WHERE ended_at IS NULL;

-- When a pushed plan that waits expires. Those pushed before this column never do.
ALTER TABLE orders ADD COLUMN expires_at timestamptz;
CREATE INDEX orders_expiring ON orders (expires_at) WHERE status = 'waiting';

-- Lists are walked backwards along these, with all their columns compared and ordered by: with equalities alone the planner
-- may walk the primary key instead and leave out what does not fit, which takes for ever where little fits.
CREATE INDEX orders_of_user_walk ON orders (user_id, official, status, id);
DROP INDEX orders_of_user;
CREATE INDEX orders_by_status_walk ON orders (status, official, id);
DROP INDEX orders_by_status;
