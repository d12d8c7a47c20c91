-- Counts the changes of a user's row, so that of two counts of unread notices the later one is known. Kept by the database
-- itself, so no writer can forget it, nor does the release before.
-- squawk-ignore ban-new-write-restriction
ALTER TABLE unread_counters ADD COLUMN revision bigint NOT NULL DEFAULT 0;

CREATE FUNCTION count_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.revision := OLD.revision + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER unread_counters_revision BEFORE UPDATE ON unread_counters
    FOR EACH ROW EXECUTE FUNCTION count_revision();
