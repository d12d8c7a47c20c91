-- Which history a database has: that of its server, by system identifier and timeline. A restore to an earlier point
-- begins a new one, and so does a server that takes over for another.
CREATE FUNCTION database_history() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) FROM pg_control_system()
$$;

-- The log of events. A row is written once, in the transaction of the change that it reports, and neither changed nor
-- deleted: the relay remembers how far it has sent (outbox_position), and drops parts of an hour whole. Sent events stay
-- for a while, because at the point that a restore goes back to, some were sent and had taken no effect yet.
-- Services may insert with their own SQL (arrays, functions, triggers).
CREATE SEQUENCE outbox_id;
CREATE TABLE outbox (
    -- The order of the events of one subject. A transaction has its own id before it takes a number, so that the relay can
    -- tell when a number that it does not see will never come.
    id          bigint NOT NULL DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('outbox_id') END,
    event_id    uuid NOT NULL,
    event_type  text NOT NULL CHECK (length(event_type) BETWEEN 1 AND 200),
    subject     text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
    -- Counts the events of one subject without a hole, for sources that keep such a count.
    sequence    bigint,
    -- proto3 JSON of the message; json, not jsonb, because it is published as it was written.
    data        json NOT NULL,
    traceparent text,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
) PARTITION BY RANGE (created_at);
ALTER SEQUENCE outbox_id OWNED BY outbox.id;
CREATE INDEX outbox_order ON outbox (id);
-- Takes the events of an hour for which the relay has made no part (yet).
CREATE TABLE outbox_other PARTITION OF outbox DEFAULT;

-- How far the relay has sent the log: up to `position`, without the gaps. Numbers are taken before the commit, so one may
-- appear after higher ones were sent.
CREATE TABLE outbox_position (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    -- The history in which the events were sent. While it is not the database's, they may have got lost at the broker.
    history     text NOT NULL,
    position    bigint NOT NULL CHECK (position >= 0),
    -- Ranges of numbers up to the position that were not sent: their transactions were running, had been rolled back, or
    -- the broker refused the event.
    gap_first   bigint[] NOT NULL,
    gap_last    bigint[] NOT NULL,
    -- The transaction in which the relay saw the gap. When all older ones have ended, a number without a row will never
    -- have one.
    gap_seen_by bigint[] NOT NULL,
    CHECK (cardinality(gap_first) = cardinality(gap_last) AND cardinality(gap_first) = cardinality(gap_seen_by))
);
INSERT INTO outbox_position (history, position, gap_first, gap_last, gap_seen_by)
VALUES (database_history(), 0, '{}', '{}', '{}');

-- The events that wait to be sent, for operators and tests. OFFSET 0 has each gap looked up in the index; a join would
-- read the whole log.
CREATE VIEW unsent_events AS
    SELECT o.* FROM outbox_position p, unnest(p.gap_first, p.gap_last) AS gap (first, last),
        LATERAL (SELECT * FROM outbox WHERE id BETWEEN gap.first AND gap.last OFFSET 0) AS o
    UNION ALL
    SELECT o.* FROM outbox o WHERE o.id > (SELECT p.position FROM outbox_position p);

-- Events that a consumer has taken effect of, so that a second delivery changes nothing.
CREATE TABLE inbox (
    consumer    text NOT NULL,
    event_id    uuid NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX inbox_received_at ON inbox (received_at);

-- Answers to calls that carried an idempotency key, kept with the effect.
CREATE TABLE idempotency_keys (
    scope          uuid NOT NULL,
    key            text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    operation      text NOT NULL,
    request_digest bytea NOT NULL,
    response       bytea,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);
