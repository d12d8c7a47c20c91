-- Confirmed e-mail addresses, and the codes that confirm them. Replicas of the release before know neither.

-- The address that its user was able to read mail at. The account's address is confirmed while it is this one: a replica
-- of the release before changes the one and not the other. Addresses of before are not confirmed.
ALTER TABLE users ADD COLUMN confirmed_email text;

-- Codes that were asked for within a day: they count for the limits after their end, too. What a code is stands nowhere;
-- src/user/email/entity.rs says how it is made. No foreign key: users are never deleted, and the check of one would hold
-- up changes of profiles.
CREATE TABLE email_codes (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL,
    -- SHA-256 of the address that it is sent to, in lower case.
    mailbox    bytea NOT NULL CHECK (length(mailbox) = 32),
    made_at    timestamptz NOT NULL,
    -- Wrong tries that it has left. None: it confirms nothing any more.
    tries_left integer NOT NULL CHECK (tries_left >= 0)
);
-- A newer code replaces the older one.
CREATE UNIQUE INDEX email_codes_live ON email_codes (user_id) WHERE tries_left > 0;
CREATE INDEX email_codes_user ON email_codes (user_id, made_at);
CREATE INDEX email_codes_mailbox ON email_codes (mailbox, made_at);
CREATE INDEX email_codes_made ON email_codes (made_at);
