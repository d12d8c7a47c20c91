-- no-transaction
-- Walks of an order's reports, newest first. Reports go on being written meanwhile.
CREATE INDEX CONCURRENTLY delivery_reports_of_order ON delivery_reports (order_id, time, source, report_id);
