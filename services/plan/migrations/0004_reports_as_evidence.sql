-- Reports as evidence: who brought each of them, and what it said before it was restated.

-- Files that brought reports, and who imported them. Written with the first batch that brings any, so that nothing of a
-- file is there without it; the digest follows with the end of the file, and stays empty for an import that broke off.
CREATE TABLE delivery_imports (
    id          uuid PRIMARY KEY,
    source      text NOT NULL,
    staff_id    uuid NOT NULL,
    -- The call at the edge, as in the audit log.
    request_id  text NOT NULL,
    began_at    timestamptz NOT NULL,
    -- SHA-256 of the whole file.
    sha256      bytea CHECK (length(sha256) = 32),
    finished_at timestamptz,
    CHECK ((sha256 IS NULL) = (finished_at IS NULL))
);

ALTER TABLE delivery_reports
    -- The file that brought it, and the line in the file; empty for what networks send. No foreign key: no import is ever
    -- deleted, and the check of one would hold up reports.
    ADD COLUMN import_id   uuid,
    ADD COLUMN import_line bigint;

-- What reports said in revisions that a later one has restated, newest first for the owner's list of an order.
CREATE TABLE superseded_reports (
    source         text NOT NULL,
    report_id      text NOT NULL,
    revision       bigint NOT NULL,
    order_id       uuid NOT NULL,
    time           timestamptz NOT NULL,
    impressions    bigint NOT NULL,
    clicks         bigint NOT NULL,
    spend_micros   bigint NOT NULL,
    revenue_micros bigint NOT NULL,
    estimated      boolean NOT NULL,
    origin         text NOT NULL,
    received_at    timestamptz NOT NULL,
    import_id      uuid,
    import_line    bigint,
    PRIMARY KEY (source, report_id, revision)
);

-- A report changes only by a later revision, and what it said before is kept. What of it is charged may change, because that
-- follows from all reports of the order.
CREATE FUNCTION keep_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.source, NEW.report_id, NEW.order_id) IS DISTINCT FROM (OLD.source, OLD.report_id, OLD.order_id) THEN
        RAISE EXCEPTION 'a report stays what it is about' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.revision > OLD.revision THEN
        INSERT INTO superseded_reports VALUES (
            OLD.source, OLD.report_id, OLD.revision, OLD.order_id, OLD.time, OLD.impressions, OLD.clicks, OLD.spend_micros,
            OLD.revenue_micros, OLD.estimated, OLD.origin, OLD.received_at, OLD.import_id, OLD.import_line);
        -- The release before does not write who brought a revision, and would leave the name of the one before.
        IF (NEW.import_id, NEW.import_line) IS NOT DISTINCT FROM (OLD.import_id, OLD.import_line) THEN
            NEW.import_id := NULL;
            NEW.import_line := NULL;
        END IF;
        RETURN NEW;
    END IF;
    IF (NEW.revision, NEW.time, NEW.impressions, NEW.clicks, NEW.spend_micros, NEW.revenue_micros, NEW.estimated,
        NEW.origin, NEW.received_at, NEW.import_id, NEW.import_line)
       IS DISTINCT FROM
       (OLD.revision, OLD.time, OLD.impressions, OLD.clicks, OLD.spend_micros, OLD.revenue_micros, OLD.estimated,
        OLD.origin, OLD.received_at, OLD.import_id, OLD.import_line) THEN
        RAISE EXCEPTION 'a report changes only by a later revision' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER delivery_reports_kept BEFORE UPDATE ON delivery_reports FOR EACH ROW EXECUTE FUNCTION keep_report();

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER delivery_reports_stay BEFORE DELETE OR TRUNCATE ON delivery_reports
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER superseded_reports_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON superseded_reports
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER delivery_imports_stay BEFORE DELETE OR TRUNCATE ON delivery_imports
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- No release has ever deleted a report.
-- squawk-ignore ban-revoke
REVOKE DELETE, TRUNCATE ON delivery_reports, delivery_imports FROM PUBLIC, CURRENT_USER;
-- squawk-ignore ban-revoke
REVOKE UPDATE, DELETE, TRUNCATE ON superseded_reports FROM PUBLIC, CURRENT_USER;
