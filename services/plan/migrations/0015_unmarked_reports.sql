-- no-transaction
-- Reports whose marks the roll-ups do not have yet. Reports go on being written meanwhile.
CREATE INDEX CONCURRENTLY delivery_reports_unmarked ON delivery_reports (order_id)
WHERE NOT is_marked AND (estimated OR origin = 'simulator');
