-- The hash chain of the audit log. Wallet publishes its head in the checkpoints, so what was published cannot be changed
-- unnoticed, even by the owner of this database.

-- Entries in the order in which they were sealed, without a hole. What an entry's hash covers stands in audit/seal.rs.
CREATE TABLE audit_seals (
    seq      bigint PRIMARY KEY CHECK (seq >= 1),
    entry_id uuid NOT NULL,
    hash     bytea NOT NULL CHECK (length(hash) = 32)
);
CREATE UNIQUE INDEX audit_seals_entry ON audit_seals (entry_id);

-- Entries without a seal. A trigger writes it, because a replica of the release before knows no seals.
CREATE TABLE audit_unsealed (
    entry_id uuid PRIMARY KEY
);
CREATE FUNCTION await_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_unsealed (entry_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER audit_log_await_seal AFTER INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION await_seal();
INSERT INTO audit_unsealed SELECT id FROM audit_log ON CONFLICT DO NOTHING;

CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The release before does not know the table.
-- squawk-ignore ban-revoke
REVOKE UPDATE, DELETE, TRUNCATE ON audit_seals FROM PUBLIC, CURRENT_USER;
