-- Whose plans an import changed: each of these users reads of it once. A row is written with the first reports of theirs.
CREATE TABLE imported_users (
    import_id uuid NOT NULL REFERENCES delivery_imports (id),
    user_id   uuid NOT NULL,
    PRIMARY KEY (import_id, user_id)
);
CREATE TRIGGER imported_users_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON imported_users
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The release before does not know the table.
-- squawk-ignore ban-revoke
REVOKE UPDATE, DELETE, TRUNCATE ON imported_users FROM PUBLIC, CURRENT_USER;
