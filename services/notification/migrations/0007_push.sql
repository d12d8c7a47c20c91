-- Browsers that their users want push messages in.
CREATE TABLE push_subscriptions (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL,
    -- The session that the browser was in when it last renewed this.
    session_id uuid NOT NULL,
    -- Where the browser's push service accepts messages. With it and the keys, anybody can send to the browser.
    endpoint   text NOT NULL CHECK (length(endpoint) <= 1024) CONSTRAINT push_subscriptions_endpoint_once UNIQUE,
    -- The browser's public key and its secret (RFC 8291).
    p256dh     bytea NOT NULL CHECK (length(p256dh) = 65),
    auth       bytea NOT NULL CHECK (length(auth) = 16),
    lang       text NOT NULL CHECK (length(lang) <= 16),
    renewed_at timestamptz NOT NULL
);
CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id, renewed_at);
CREATE INDEX push_subscriptions_by_session ON push_subscriptions (session_id);
CREATE INDEX push_subscriptions_renewed ON push_subscriptions (renewed_at);

-- Messages to these browsers. A row is written with the notice or the mail that says the same.
CREATE TABLE pushes (
    -- Ids grow with time.
    id              uuid PRIMARY KEY,
    subscription_id uuid NOT NULL REFERENCES push_subscriptions ON DELETE CASCADE,
    template        text NOT NULL,
    params          jsonb NOT NULL,
    -- What it is about: one happening, one message to a browser.
    source_key      text NOT NULL,
    occurred_at     timestamptz NOT NULL,
    state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'dead')),
    attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- When it is tried next. While it is being tried, when another replica takes it over.
    due_at          timestamptz NOT NULL,
    -- From then on a failure is the last one, and the push service need not keep it.
    give_up_at      timestamptz NOT NULL,
    finished_at     timestamptz,
    CONSTRAINT pushes_source_once UNIQUE (subscription_id, source_key),
    CHECK ((state = 'pending') = (finished_at IS NULL))
);
CREATE INDEX pushes_due ON pushes (due_at) WHERE state = 'pending';
CREATE INDEX pushes_pending ON pushes (subscription_id) WHERE state = 'pending';
CREATE INDEX pushes_finished ON pushes (finished_at) WHERE state <> 'pending';
