-- Imports as proposals: what a file brings waits until a second member of staff releases it, and what a network reports
-- above a product's limits waits likewise.

-- The previous release writes none of the new columns, and its products and imports keep every new constraint by their
-- defaults. Imports are few: one row for each file.
-- squawk-ignore-file ban-new-write-restriction, constraint-missing-not-valid

ALTER TABLE products
    -- Highest revenue of a plan, in percent of its spend.
    ADD COLUMN return_max_percent integer NOT NULL DEFAULT 1000,
    -- Highest revenue of a thousand impressions.
    ADD COLUMN revenue_per_thousand_max_minor bigint NOT NULL DEFAULT 100000;

-- Imports of the release before were taken as they were read.
ALTER TABLE delivery_imports
    ADD COLUMN origin text NOT NULL DEFAULT 'import',
    -- reading: its rows still arrive. expired, broken_off, repeated: it brought nothing.
    ADD COLUMN state text NOT NULL DEFAULT 'released',
    -- SHA-256 over the file, its source and its mapping: the same import once more.
    ADD COLUMN request_sha256 bytea,
    ADD COLUMN read bigint NOT NULL DEFAULT 0,
    -- What it proposes.
    ADD COLUMN plans bigint NOT NULL DEFAULT 0,
    ADD COLUMN impressions bigint NOT NULL DEFAULT 0,
    ADD COLUMN clicks bigint NOT NULL DEFAULT 0,
    ADD COLUMN spend_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN revenue_micros bigint NOT NULL DEFAULT 0,
    -- What stands out: [{plan_number, rule, value, usual}].
    ADD COLUMN notable jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN decided_by uuid,
    ADD COLUMN decided_at timestamptz,
    ADD COLUMN decision_reason text NOT NULL DEFAULT '',
    -- What became of its rows when they were taken.
    ADD COLUMN applied bigint NOT NULL DEFAULT 0,
    ADD COLUMN repeated bigint NOT NULL DEFAULT 0,
    ADD COLUMN restated bigint NOT NULL DEFAULT 0,
    ADD COLUMN rejected bigint NOT NULL DEFAULT 0,
    -- The first rows that could not be taken any more: [{line, reason}].
    ADD COLUMN rejections jsonb NOT NULL DEFAULT '[]',
    -- From then on none of its rows is staged any more.
    ADD COLUMN done_at timestamptz;

UPDATE delivery_imports SET done_at = began_at WHERE finished_at IS NOT NULL;

ALTER TABLE delivery_imports
    ADD CONSTRAINT delivery_imports_origin CHECK (origin IN ('import', 'network')),
    ADD CONSTRAINT delivery_imports_state CHECK (state IN ('reading', 'proposed', 'released', 'rejected', 'expired',
                                                           'broken_off', 'repeated')),
    ADD CONSTRAINT delivery_imports_second_person CHECK (decided_by <> staff_id),
    ADD CONSTRAINT delivery_imports_decided CHECK ((decided_by IS NULL) = (decided_at IS NULL));

-- The same file is proposed once at a time.
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX delivery_imports_open ON delivery_imports (request_sha256) WHERE state = 'proposed';
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_imports_undone ON delivery_imports (began_at) WHERE done_at IS NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX delivery_imports_state_id ON delivery_imports (state, id);

-- What an import proposes never changes, and a decision stands.
CREATE FUNCTION keep_import() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state NOT IN ('reading', 'proposed') AND NEW.state <> OLD.state THEN
        RAISE EXCEPTION 'a decided import never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state <> 'reading' AND OLD.request_sha256 IS NOT NULL
       AND (NEW.id, NEW.source, NEW.origin, NEW.staff_id, NEW.began_at, NEW.sha256, NEW.request_sha256, NEW.read, NEW.plans,
            NEW.impressions, NEW.clicks, NEW.spend_micros, NEW.revenue_micros, NEW.notable)
           IS DISTINCT FROM
           (OLD.id, OLD.source, OLD.origin, OLD.staff_id, OLD.began_at, OLD.sha256, OLD.request_sha256, OLD.read, OLD.plans,
            OLD.impressions, OLD.clicks, OLD.spend_micros, OLD.revenue_micros, OLD.notable) THEN
        RAISE EXCEPTION 'what an import proposes never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.decided_by IS NOT NULL AND (NEW.decided_by, NEW.decided_at, NEW.decision_reason)
       IS DISTINCT FROM (OLD.decided_by, OLD.decided_at, OLD.decision_reason) THEN
        RAISE EXCEPTION 'a decided import never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER delivery_imports_kept BEFORE UPDATE ON delivery_imports FOR EACH ROW EXECUTE FUNCTION keep_import();

-- Rows of imports that are not taken yet, in the order of the file.
CREATE TABLE staged_reports (
    import_id      uuid NOT NULL,
    line           bigint NOT NULL,
    report_id      text NOT NULL,
    revision       bigint NOT NULL,
    plan_number    text NOT NULL,
    time           timestamptz NOT NULL,
    impressions    bigint NOT NULL,
    clicks         bigint NOT NULL,
    spend_micros   bigint NOT NULL,
    revenue_micros bigint NOT NULL,
    estimated      boolean NOT NULL,
    PRIMARY KEY (import_id, line)
);
-- A staged row is what its file said until it is taken.
CREATE TRIGGER staged_reports_kept BEFORE UPDATE ON staged_reports
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- A network that sends a held report again holds it once.
CREATE INDEX staged_reports_report ON staged_reports (report_id, revision);

-- Plans that a member of staff wants to settle before their time, until another one wants it, too.
CREATE TABLE settlement_requests (
    order_id uuid PRIMARY KEY,
    asked_by uuid NOT NULL,
    asked_at timestamptz NOT NULL
);
