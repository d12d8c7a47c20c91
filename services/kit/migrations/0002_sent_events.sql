-- Which history a database has: that of its server, by system identifier and timeline. A restore to an earlier point begins a new
-- one, and so does a server that takes over for another.
CREATE FUNCTION database_history() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) FROM pg_control_system()
$$;

-- The history in which events were sent. While it is not the database's, what is in sent_events may have got lost at the broker.
CREATE TABLE relay_history (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    history  text NOT NULL
);
INSERT INTO relay_history (history) VALUES (database_history());

-- Events that the broker has confirmed, moved here from the outbox with their numbers, and kept for a while: at the point that a
-- restore goes back to, some were sent and had taken no effect yet.
CREATE TABLE sent_events (
    sent_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    id          bigint NOT NULL,
    event_id    uuid NOT NULL,
    event_type  text NOT NULL,
    subject     text NOT NULL,
    sequence    bigint,
    data        json NOT NULL,
    traceparent text,
    created_at  timestamptz NOT NULL,
    -- The order in which they are forgotten.
    PRIMARY KEY (sent_at, id)
);
