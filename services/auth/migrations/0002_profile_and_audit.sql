-- The avatar, and the log of what staff did in any service.

ALTER TABLE users
    -- The uploaded file; empty without one.
    ADD COLUMN avatar_file_id text NOT NULL DEFAULT '' CHECK (length(avatar_file_id) <= 100);

CREATE TABLE audit_log (
    -- The event that announced it: the same event again is the same entry.
    id          uuid PRIMARY KEY,
    acted_at    timestamptz NOT NULL,
    -- Who; adfolioctl has an id of its own, so this is no foreign key.
    staff_id    uuid NOT NULL,
    action      text NOT NULL,
    target      text NOT NULL,
    -- To whom, if it was about a user.
    user_id     uuid,
    reason      text NOT NULL,
    request_id  text NOT NULL,
    -- JSON objects as they were written; empty when there was nothing.
    before_json text NOT NULL,
    after_json  text NOT NULL
);
-- One index for each way of asking, in the order of the list: any page is a walk along one of them.
CREATE INDEX audit_log_time ON audit_log (acted_at, id);
CREATE INDEX audit_log_staff ON audit_log (staff_id, acted_at, id);
CREATE INDEX audit_log_staff_action ON audit_log (staff_id, action, acted_at, id);
CREATE INDEX audit_log_action ON audit_log (action, acted_at, id);
CREATE INDEX audit_log_user ON audit_log (user_id, acted_at, id) WHERE user_id IS NOT NULL;

-- What staff did stays as it was written. The revoked privileges bind every role but superusers, the trigger those too.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON audit_log FROM PUBLIC, CURRENT_USER;
