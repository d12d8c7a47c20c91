-- The users' inbox. A row keeps what happened, not how it reads: the text is made in the reader's language when it is read.
CREATE TABLE notifications (
    id          uuid PRIMARY KEY,
    user_id     uuid NOT NULL,
    category    text NOT NULL CHECK (category IN ('announcement', 'maintenance', 'activity')),
    template    text NOT NULL,
    params      jsonb NOT NULL,
    -- What the notice is about, so that the same happening told twice is one notice, even long after the inbox of events
    -- has forgotten the first telling.
    source_key  text NOT NULL CONSTRAINT notifications_source_once UNIQUE,
    occurred_at timestamptz NOT NULL,
    read        boolean NOT NULL DEFAULT false,
    read_at     timestamptz,
    CHECK (read = (read_at IS NOT NULL))
);
-- One index for each way to filter, all in the order of the list, so that every page costs the same.
CREATE INDEX notifications_all ON notifications (user_id, occurred_at, id);
CREATE INDEX notifications_by_category ON notifications (user_id, category, occurred_at, id);
CREATE INDEX notifications_by_read ON notifications (user_id, read, occurred_at, id);
CREATE INDEX notifications_by_category_and_read ON notifications (user_id, category, read, occurred_at, id);

-- How many notices a user has not read. Changed in the transaction that adds or marks them, and locked before notices are
-- marked: it is the one lock of a user's inbox.
CREATE TABLE unread_counters (
    user_id uuid PRIMARY KEY,
    unread  bigint NOT NULL CHECK (unread >= 0)
);

-- Ways to reach customer service, as staff keep them.
CREATE TABLE service_entries (
    id       uuid PRIMARY KEY,
    list     text NOT NULL CHECK (list IN ('customer_service', 'recharge_customer_service')),
    position integer NOT NULL CHECK (position >= 0),
    type     integer NOT NULL CHECK (type >= 0),
    url      text NOT NULL CHECK (url LIKE 'https://%'),
    -- Label by language code.
    label    jsonb NOT NULL CHECK (label ? 'en'),
    UNIQUE (list, position)
);
