-- Allotments: what of a running plan's budget a network may show on one of its placements, and until when.

-- The previous release writes none of the new columns, and its rows keep the constraints by the defaults.
-- squawk-ignore-file ban-new-write-restriction

ALTER TABLE orders
    -- Part of the budget that is allotted and neither charged nor given back.
    ADD COLUMN allotted_micros bigint NOT NULL DEFAULT 0,
    -- Since when no placement can be chosen for the running plan.
    ADD COLUMN no_supply_since timestamptz,
    -- More is never shown than was paid for. A replica of the previous release that charges what is allotted is refused,
    -- and the network reports again.
    ADD CONSTRAINT orders_allotted CHECK (allotted_micros >= 0 AND (allotted_micros = 0
        OR charged_micros + allotted_micros <= put_amount_minor * 10000)) NOT VALID;
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE orders VALIDATE CONSTRAINT orders_allotted;

-- Where a report was delivered; none of one that names no placement.
ALTER TABLE delivery_reports ADD COLUMN placement_id uuid;
ALTER TABLE superseded_reports ADD COLUMN placement_id uuid;
-- As the source names it; empty for none.
ALTER TABLE staged_reports ADD COLUMN placement text NOT NULL DEFAULT '';

-- As before, with the placement, which a report keeps. The previous release writes none.
-- squawk-ignore ban-replace-view-function
CREATE OR REPLACE FUNCTION keep_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.source, NEW.report_id, NEW.order_id, NEW.placement_id)
       IS DISTINCT FROM (OLD.source, OLD.report_id, OLD.order_id, OLD.placement_id) THEN
        RAISE EXCEPTION 'a report stays what it is about' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.revision > OLD.revision THEN
        INSERT INTO superseded_reports VALUES (
            OLD.source, OLD.report_id, OLD.revision, OLD.order_id, OLD.time, OLD.impressions, OLD.clicks, OLD.spend_micros,
            OLD.revenue_micros, OLD.estimated, OLD.origin, OLD.received_at, OLD.import_id, OLD.import_line, OLD.batch_id,
            OLD.placement_id);
        -- A release before does not write who brought a revision, and would leave the name of the one before.
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

-- A round divides the budgets of all running plans for the time from begins_at to ends_at.
CREATE TABLE allotment_rounds (
    begins_at     timestamptz PRIMARY KEY,
    ends_at       timestamptz NOT NULL,
    -- The traffic's shape, of which all decisions of the round are made.
    shape         jsonb NOT NULL,
    -- The replica that allots, until another one may take over.
    claim         uuid NOT NULL,
    claimed_until timestamptz NOT NULL,
    -- Networks get allotments of rounds that are done, so that none is added behind what they have fetched.
    done_at       timestamptz
);

-- The placements that plans of a product and an audience chose from in a round, and their shares in millionths.
CREATE TABLE allotment_menus (
    id            uuid PRIMARY KEY,
    begins_at     timestamptz NOT NULL REFERENCES allotment_rounds ON DELETE CASCADE,
    product_id    uuid NOT NULL,
    placement_ids uuid[] NOT NULL,
    menu          jsonb NOT NULL,
    shares        integer[] NOT NULL
);
CREATE INDEX allotment_menus_round ON allotment_menus (begins_at);

-- What a plan got in a round, and everything that this was decided by, to be decided again and compared. One for each plan
-- and round, with any number of replicas.
CREATE TABLE allotment_decisions (
    order_id  uuid NOT NULL,
    begins_at timestamptz NOT NULL REFERENCES allotment_rounds ON DELETE CASCADE,
    menu_id   uuid NOT NULL REFERENCES allotment_menus ON DELETE CASCADE,
    inputs    jsonb NOT NULL,
    decision  jsonb NOT NULL,
    PRIMARY KEY (order_id, begins_at)
);
CREATE INDEX allotment_decisions_menu ON allotment_decisions (menu_id);
CREATE INDEX allotment_decisions_round ON allotment_decisions (begins_at);

CREATE TABLE allotments (
    id                  uuid PRIMARY KEY,
    order_id            uuid NOT NULL,
    -- Without references: a round may write a million rows, each would be checked, and nothing deletes placements.
    placement_id        uuid NOT NULL,
    -- The placement's.
    network_id          uuid NOT NULL,
    begins_at           timestamptz NOT NULL,
    ends_at             timestamptz NOT NULL,
    -- What is not reported by then goes back to the plan.
    closes_at           timestamptz NOT NULL,
    model               text NOT NULL CHECK (model IN ('cpm', 'cpc')),
    -- Of the price that holds at begins_at.
    cost_micros         bigint NOT NULL CHECK (cost_micros > 0),
    price_revenue_micros bigint NOT NULL CHECK (price_revenue_micros >= 0),
    units               bigint NOT NULL CHECK (units > 0),
    budget_micros       bigint NOT NULL CHECK (budget_micros > 0),
    state               text NOT NULL CHECK (state IN ('open', 'closed')),
    -- What reports of it say. Spend may be above the budget: the plan is charged as far as it has budget left.
    impressions         bigint NOT NULL DEFAULT 0,
    clicks              bigint NOT NULL DEFAULT 0,
    spend_micros        bigint NOT NULL DEFAULT 0,
    revenue_micros      bigint NOT NULL DEFAULT 0,
    -- What of the budget reports have taken up. It never falls: what a restatement frees goes to the plan.
    drawn_micros        bigint NOT NULL DEFAULT 0,
    -- What beliefs know of it; none before it closed.
    learnt_impressions  bigint,
    learnt_clicks       bigint,
    learnt_revenue_micros bigint,
    -- Whether beliefs know all that is reported.
    is_learnt           boolean NOT NULL DEFAULT false,
    CONSTRAINT allotments_once UNIQUE (order_id, begins_at, placement_id),
    CONSTRAINT allotments_drawn CHECK (drawn_micros BETWEEN 0 AND budget_micros),
    CONSTRAINT allotments_time CHECK (begins_at < ends_at AND ends_at <= closes_at)
);
CREATE INDEX allotments_of_network ON allotments (network_id, begins_at, id);
CREATE INDEX allotments_open ON allotments (closes_at) WHERE state = 'open';
CREATE INDEX allotments_open_of_order ON allotments (order_id) WHERE state = 'open';
CREATE INDEX allotments_to_learn ON allotments (begins_at) WHERE state = 'closed' AND NOT is_learnt;
CREATE INDEX allotments_of_round ON allotments (begins_at, placement_id);

-- What a product has shown on a placement, for beliefs.
CREATE TABLE placement_learning (
    product_id   uuid NOT NULL,
    placement_id uuid NOT NULL,
    -- Clicks by impressions.
    clicks       jsonb NOT NULL,
    -- Units paid by units expected, of the price list's revenue.
    fulfilment   jsonb NOT NULL,
    PRIMARY KEY (product_id, placement_id)
);

-- Units that a placement can serve in an hour of average traffic; none while that is unknown.
ALTER TABLE placements ADD COLUMN capacity_per_hour bigint;

-- Impressions of all allotments by the hour, of which the traffic's shape is learnt.
CREATE TABLE traffic_hours (
    hour        timestamptz PRIMARY KEY,
    impressions bigint NOT NULL
);
