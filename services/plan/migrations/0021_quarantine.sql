-- The gate on reports: rows that break one of its rules wait in quarantine until staff decide, and neither post nor teach
-- before that.

-- The previous release writes none of the new columns, and its rows keep the constraints by the defaults.
-- squawk-ignore-file ban-new-write-restriction

-- What the gate found when the file was read: [{rule, version, value, limit, detail}]; none of a row that it lets pass.
ALTER TABLE staged_reports ADD COLUMN findings jsonb;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX staged_reports_found ON staged_reports (import_id, line) WHERE findings IS NOT NULL;
-- Its rows that went to quarantine.
ALTER TABLE delivery_imports ADD COLUMN quarantined bigint NOT NULL DEFAULT 0;

CREATE TABLE quarantined_reports (
    id             uuid PRIMARY KEY,
    source         text NOT NULL,
    origin         text NOT NULL CHECK (origin IN ('import', 'network')),
    -- The file that brought it; none of what a network sent.
    import_id      uuid,
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
    -- As the source names it; empty for none.
    placement      text NOT NULL,
    -- Of its source's network; none without one.
    placement_id   uuid,
    findings       jsonb NOT NULL,
    came_at        timestamptz NOT NULL,
    state          text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'approved', 'released', 'rejected')),
    -- Who releases it first where that takes two.
    approved_by    uuid,
    approved_at    timestamptz,
    decided_by     uuid,
    decided_at     timestamptz,
    reason         text NOT NULL DEFAULT '',
    -- Whether one member of staff released it: such releases count towards the amount of four eyes.
    is_alone       boolean NOT NULL DEFAULT false,
    -- What became of a released one.
    outcome        text NOT NULL DEFAULT '',
    -- A revision that is sent again is held once.
    CONSTRAINT quarantined_reports_once UNIQUE (source, report_id, revision),
    CONSTRAINT quarantined_reports_approved CHECK ((approved_by IS NULL) = (approved_at IS NULL)),
    CONSTRAINT quarantined_reports_second_person CHECK (state <> 'released' OR decided_by <> approved_by),
    CONSTRAINT quarantined_reports_decided CHECK (
        (state IN ('released', 'rejected')) = (decided_by IS NOT NULL AND decided_at IS NOT NULL))
);
CREATE INDEX quarantined_reports_state ON quarantined_reports (state, id);
CREATE INDEX quarantined_reports_alone ON quarantined_reports (decided_at) WHERE is_alone;
CREATE INDEX quarantined_reports_placement ON quarantined_reports (placement_id) WHERE state IN ('waiting', 'approved');

-- What was reported never changes, and a decision stands.
CREATE FUNCTION keep_quarantined() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state IN ('released', 'rejected') THEN
        RAISE EXCEPTION 'a decided report stays decided' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.id, NEW.source, NEW.origin, NEW.import_id, NEW.line, NEW.report_id, NEW.revision, NEW.plan_number, NEW.time,
        NEW.impressions, NEW.clicks, NEW.spend_micros, NEW.revenue_micros, NEW.estimated, NEW.placement, NEW.placement_id,
        NEW.findings, NEW.came_at)
       IS DISTINCT FROM
       (OLD.id, OLD.source, OLD.origin, OLD.import_id, OLD.line, OLD.report_id, OLD.revision, OLD.plan_number, OLD.time,
        OLD.impressions, OLD.clicks, OLD.spend_micros, OLD.revenue_micros, OLD.estimated, OLD.placement, OLD.placement_id,
        OLD.findings, OLD.came_at) THEN
        RAISE EXCEPTION 'a report in quarantine stays what it is' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER quarantined_reports_kept BEFORE UPDATE ON quarantined_reports
    FOR EACH ROW EXECUTE FUNCTION keep_quarantined();

-- What a source reported and posted by the day on which it came, in all, by placement, and by plan where no placement is
-- named: what the gate compares new reports with. Restatements change the day on which they come.
CREATE TABLE reported_days (
    source      text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('source', 'placement', 'plan')),
    -- Nil for the source itself.
    subject     uuid NOT NULL,
    day         date NOT NULL,
    impressions bigint NOT NULL,
    clicks      bigint NOT NULL,
    -- Rows of 100 impressions or more, and how many of them end in one zero or two.
    large_rows  bigint NOT NULL,
    tens        bigint NOT NULL,
    hundreds    bigint NOT NULL,
    PRIMARY KEY (source, kind, subject, day)
);
CREATE INDEX reported_days_peers ON reported_days (kind, day DESC, impressions DESC);
CREATE INDEX reported_days_day ON reported_days (day);
