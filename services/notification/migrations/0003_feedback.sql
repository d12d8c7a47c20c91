-- What users write to us. Ids grow with time, so the newest are the largest.
CREATE TABLE feedback (
    id             uuid PRIMARY KEY,
    user_id        uuid NOT NULL,
    topic          text NOT NULL CHECK (length(topic) BETWEEN 1 AND 200),
    content        text NOT NULL CHECK (length(content) BETWEEN 1 AND 5000),
    image_file_ids text[] NOT NULL CHECK (cardinality(image_file_ids) <= 9),
    state          text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
    reply          text NOT NULL DEFAULT '' CHECK (length(reply) <= 2000),
    created_at     timestamptz NOT NULL,
    closed_at      timestamptz,
    closed_by      uuid,
    CHECK ((state = 'closed') = (closed_at IS NOT NULL))
);
CREATE INDEX feedback_by_state ON feedback (state, id);
