-- What reports of a plan say by placement, rolled up as they are taken. Reports that name no placement are not in it.
-- The previous release writes none of the new columns, and its rows keep the constraint by the default.
-- squawk-ignore-file ban-new-write-restriction

CREATE TABLE order_placements (
    order_id        uuid NOT NULL,
    placement_id    uuid NOT NULL,
    impressions     bigint NOT NULL DEFAULT 0,
    clicks          bigint NOT NULL DEFAULT 0,
    charged_micros  bigint NOT NULL DEFAULT 0,
    revenue_micros  bigint NOT NULL DEFAULT 0,
    -- Impressions that were simulated.
    simulated       bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (order_id, placement_id)
);

-- How many running plans with supply were off pace when a round was decided; rounds of the release before have none.
ALTER TABLE allotment_rounds ADD COLUMN off_pace bigint NOT NULL DEFAULT 0;
