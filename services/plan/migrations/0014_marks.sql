-- What of the statistics is estimated or simulated, and until when each source has reported.

-- Constant defaults, so nothing is rewritten. Programs of the release before leave the new columns as they are; see
-- delivery_reports.is_marked.
-- squawk-ignore-file ban-new-write-restriction
ALTER TABLE user_totals
    ADD COLUMN estimated_charged_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN estimated_revenue_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_impressions    bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_clicks         bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_charged_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_revenue_micros bigint NOT NULL DEFAULT 0;
ALTER TABLE user_days
    ADD COLUMN estimated_charged_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN estimated_revenue_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_impressions    bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_clicks         bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_charged_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_revenue_micros bigint NOT NULL DEFAULT 0;
ALTER TABLE user_buckets
    ADD COLUMN estimated_charged_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN estimated_revenue_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_impressions    bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_clicks         bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_charged_micros bigint NOT NULL DEFAULT 0,
    ADD COLUMN simulated_revenue_micros bigint NOT NULL DEFAULT 0;

-- Whether the roll-ups have the marks of a report. A job marks the reports of before.
ALTER TABLE delivery_reports ADD COLUMN is_marked boolean NOT NULL DEFAULT false;

-- Until when each source has reported about a user's plans.
CREATE TABLE user_sources (
    user_id        uuid NOT NULL,
    source         text NOT NULL,
    reported_until timestamptz NOT NULL,
    PRIMARY KEY (user_id, source)
);
