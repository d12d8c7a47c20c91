-- When a source last reported something that posted: staff see how long it is silent. Replicas of the release before do
-- not write the column, so it counts as the beginning of its day at least.
ALTER TABLE reported_days ADD COLUMN last_at timestamptz;
