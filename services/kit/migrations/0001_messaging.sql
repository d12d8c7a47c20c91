-- Events that wait to be published. A row is written in the transaction of the change that it reports and deleted once
-- the broker has confirmed it. Services may insert with their own SQL (arrays, functions, triggers).
CREATE TABLE outbox (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id    uuid NOT NULL UNIQUE,
    event_type  text NOT NULL CHECK (length(event_type) BETWEEN 1 AND 200),
    subject     text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
    -- Counts the events of one subject without a hole, for sources that keep such a count.
    sequence    bigint,
    -- proto3 JSON of the message; json, not jsonb, because it is published as it was written.
    data        json NOT NULL,
    traceparent text,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

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
