-- What was reported is bound by one hash chain, whose newest hash leaves this database with wallet's checkpoints.

-- Batches of reports in the order in which they were sealed, without a hole. What a hash covers stands in
-- delivery/seal.rs.
CREATE TABLE report_seals (
    seq      bigint PRIMARY KEY CHECK (seq >= 1),
    batch_id uuid NOT NULL,
    reports  bigint NOT NULL CHECK (reports >= 1),
    hash     bytea NOT NULL CHECK (length(hash) = 32)
);
CREATE UNIQUE INDEX report_seals_batch ON report_seals (batch_id);
CREATE TRIGGER report_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON report_seals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The release before does not know the table.
-- squawk-ignore ban-revoke
REVOKE UPDATE, DELETE, TRUNCATE ON report_seals FROM PUBLIC, CURRENT_USER;

-- Batches without a seal, written with their reports.
CREATE TABLE unsealed_batches (
    batch_id uuid PRIMARY KEY,
    reports  bigint NOT NULL,
    digest   bytea NOT NULL CHECK (length(digest) = 32)
);

-- The batch that a revision came with; none of what the release before has taken.
ALTER TABLE delivery_reports ADD COLUMN batch_id uuid;
ALTER TABLE superseded_reports ADD COLUMN batch_id uuid;
-- No release before knows the table, so it is small.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX superseded_reports_batch ON superseded_reports (batch_id) WHERE batch_id IS NOT NULL;

-- As before, with the batch. What the release before writes gets none.
-- squawk-ignore ban-replace-view-function
CREATE OR REPLACE FUNCTION keep_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.source, NEW.report_id, NEW.order_id) IS DISTINCT FROM (OLD.source, OLD.report_id, OLD.order_id) THEN
        RAISE EXCEPTION 'a report stays what it is about' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.revision > OLD.revision THEN
        INSERT INTO superseded_reports VALUES (
            OLD.source, OLD.report_id, OLD.revision, OLD.order_id, OLD.time, OLD.impressions, OLD.clicks, OLD.spend_micros,
            OLD.revenue_micros, OLD.estimated, OLD.origin, OLD.received_at, OLD.import_id, OLD.import_line, OLD.batch_id);
        -- The release before does not write who brought a revision, and would leave the name of the one before.
        IF (NEW.import_id, NEW.import_line) IS NOT DISTINCT FROM (OLD.import_id, OLD.import_line) THEN
            NEW.import_id := NULL;
            NEW.import_line := NULL;
        END IF;
        -- Nor does it write batches.
        IF NEW.batch_id IS NOT DISTINCT FROM OLD.batch_id THEN
            NEW.batch_id := NULL;
        END IF;
        RETURN NEW;
    END IF;
    IF (NEW.revision, NEW.time, NEW.impressions, NEW.clicks, NEW.spend_micros, NEW.revenue_micros, NEW.estimated,
        NEW.origin, NEW.received_at, NEW.import_id, NEW.import_line, NEW.batch_id)
       IS DISTINCT FROM
       (OLD.revision, OLD.time, OLD.impressions, OLD.clicks, OLD.spend_micros, OLD.revenue_micros, OLD.estimated,
        OLD.origin, OLD.received_at, OLD.import_id, OLD.import_line, OLD.batch_id) THEN
        RAISE EXCEPTION 'a report changes only by a later revision' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
