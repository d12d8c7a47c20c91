-- What user names look like, so that nobody takes a name that only looks like another's.

-- The skeleton of the name (UTS 39), which only a program can make. The release before writes none, and rows of before
-- have none: auth adds them in batches. Where two names of before look alike the later one's has its id behind it, so
-- that both stay.
ALTER TABLE users ADD COLUMN username_skeleton text;
ALTER TABLE staff ADD COLUMN username_skeleton text;

-- The indexes are built without writing an entry, or with one for each user: a scan that takes a second for a million.
-- Only registrations and changes of a profile wait for it. The unique ones restrict nothing that the release before
-- writes.
-- squawk-ignore require-concurrent-index-creation, ban-new-write-restriction
CREATE UNIQUE INDEX users_username_skeleton ON users (username_skeleton) WHERE username_skeleton IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation, ban-new-write-restriction
CREATE UNIQUE INDEX staff_username_skeleton ON staff (username_skeleton) WHERE username_skeleton IS NOT NULL;

-- The rows that wait for theirs: empty, except after an update.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX users_without_skeleton ON users (id) WHERE username_skeleton IS NULL;
