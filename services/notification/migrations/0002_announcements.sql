-- What staff write, in every language that they wrote it in. Kept apart from whom it went to, so that the lists stay narrow.
CREATE TABLE messages (
    id      uuid PRIMARY KEY,
    title   jsonb NOT NULL CHECK (title ? 'en'),
    content jsonb NOT NULL CHECK (content ? 'en')
);
-- A notice that staff wrote names its message; its template says so to whoever does not know messages yet.
ALTER TABLE notifications ADD COLUMN message_id uuid REFERENCES messages;

-- Messages to everybody: one row each, whatever the number of users. Their numbers have no holes, overall and within a
-- category, so that how many lie between two of them is a subtraction; and a later number is published later.
CREATE TABLE announcements (
    number          bigint PRIMARY KEY CHECK (number > 0),
    id              uuid NOT NULL CONSTRAINT announcements_id UNIQUE REFERENCES messages,
    category        text NOT NULL CHECK (category IN ('announcement', 'maintenance', 'activity')),
    category_number bigint NOT NULL CHECK (category_number > 0),
    published_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX announcements_by_category ON announcements (category, number) INCLUDE (category_number);
CREATE UNIQUE INDEX announcements_by_time ON announcements (published_at, id) INCLUDE (number);

-- A user's row of the inbox: `unread` counts the notices in `notifications`; announcements are unread as far as their last
-- number is beyond `announcements_done`. The base is the last announcement before the user came; it is empty until it is known.
-- What was read all at once is a mark per category up to a number; what was read one by one is a row in announcement_reads.
ALTER TABLE unread_counters
    ADD COLUMN announcements_base   bigint CHECK (announcements_base >= 0),
    ADD COLUMN announcements_done   bigint NOT NULL DEFAULT 0 CHECK (announcements_done >= 0),
    ADD COLUMN announcement_through bigint NOT NULL DEFAULT 0 CHECK (announcement_through >= 0),
    ADD COLUMN maintenance_through  bigint NOT NULL DEFAULT 0 CHECK (maintenance_through >= 0),
    ADD COLUMN activity_through     bigint NOT NULL DEFAULT 0 CHECK (activity_through >= 0);

CREATE TABLE announcement_reads (
    user_id  uuid NOT NULL,
    category text NOT NULL,
    number   bigint NOT NULL REFERENCES announcements,
    PRIMARY KEY (user_id, category, number)
);
