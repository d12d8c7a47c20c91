-- What mail about an account needs to know: whom to tell of a changed address, and which logins are from a new place.

-- Addresses that a user had before a change, for the mail that tells their holder of it. Deleted after some days. No
-- foreign key: users are never deleted, and the check of one would hold up changes of profiles.
CREATE TABLE former_emails (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL,
    email      text NOT NULL CHECK (length(email) BETWEEN 1 AND 254),
    changed_at timestamptz NOT NULL
);
CREATE INDEX former_emails_changed ON former_emails (changed_at);

-- Clients that a user has logged in from, as SHA-256 of what they said they were and of their address. Deleted when they
-- have not been used for long. A replica of the release before writes none; the first row of a user is no news.
CREATE TABLE known_clients (
    user_id uuid,
    client  bytea CHECK (length(client) = 32),
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, client)
);
CREATE INDEX known_clients_seen ON known_clients (seen_at);
