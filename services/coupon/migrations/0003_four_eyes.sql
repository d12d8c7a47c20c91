-- Campaigns that may cost more than FOUR_EYES_ABOVE take two members of staff. One that waits for the second has no stock to
-- claim from: a single part that counts as claimed. So replicas that know nothing of proposals give out nothing of it, and
-- its stock comes with its release.
CREATE TABLE campaign_proposals (
    campaign_id     uuid PRIMARY KEY REFERENCES campaigns (id),
    state           text NOT NULL DEFAULT 'proposed' CHECK (state IN ('proposed', 'released', 'rejected')),
    -- Coupons in all, once it is released. NULL: no limit.
    total           bigint CHECK (total > 0),
    decided_by      uuid,
    decided_at      timestamptz,
    decision_reason text NOT NULL DEFAULT '',
    CHECK ((state = 'proposed') = (decided_by IS NULL)),
    CHECK ((decided_by IS NULL) = (decided_at IS NULL))
);

-- A proposal is decided once, and never taken away.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is not changed so', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER campaign_proposals_decided_once BEFORE UPDATE ON campaign_proposals
    FOR EACH ROW WHEN (OLD.state <> 'proposed') EXECUTE FUNCTION refuse_change();
CREATE TRIGGER campaign_proposals_kept BEFORE DELETE OR TRUNCATE ON campaign_proposals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What one member of staff made alone: the sums of 24 hours decide who needs a second person. A row is written with its
-- campaign, under a lock on the member of staff.
CREATE TABLE lone_campaigns (
    campaign_id uuid PRIMARY KEY REFERENCES campaigns (id),
    staff_id    uuid NOT NULL,
    -- What its coupons cost at most.
    amount      bigint NOT NULL CHECK (amount > 0),
    created_at  timestamptz NOT NULL
);
CREATE INDEX lone_campaigns_staff ON lone_campaigns (staff_id, created_at) INCLUDE (amount);
CREATE TRIGGER lone_campaigns_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON lone_campaigns
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- The release before does not know the table.
-- squawk-ignore ban-revoke
REVOKE UPDATE, DELETE, TRUNCATE ON lone_campaigns FROM PUBLIC, CURRENT_USER;
