-- Where sessions were opened, and what users did to protect their accounts.

ALTER TABLE sessions
    -- What the client said it was, and its address; absent for sessions of staff and of hosts, and for older ones.
    ADD COLUMN user_agent text CHECK (length(user_agent) BETWEEN 1 AND 256),
    ADD COLUMN address    text CHECK (length(address) BETWEEN 1 AND 45);

-- What was done from a user's own sessions to protect the account; what staff did is in audit_log.
CREATE TABLE user_acts (
    -- The event that announced it where another service did: the same event again is the same entry.
    id       uuid PRIMARY KEY,
    user_id  uuid NOT NULL,
    action   text NOT NULL CHECK (length(action) BETWEEN 1 AND 100),
    acted_at timestamptz NOT NULL
);
-- In the order of the list, which joins it with audit_log_user.
CREATE INDEX user_acts_user ON user_acts (user_id, acted_at, id);

CREATE TRIGGER user_acts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON user_acts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON user_acts FROM PUBLIC, CURRENT_USER;
