-- Postings of running plans with supply wait: each report of a placement would otherwise post by itself.
-- The previous release writes none of the new columns, and its rows keep the constraint by the default.
-- squawk-ignore-file ban-new-write-restriction

ALTER TABLE orders
    -- When the ledger last got totals, and which; null until the first posting after this migration.
    ADD COLUMN posted_at timestamptz,
    ADD COLUMN posted_consumed_minor bigint,
    ADD COLUMN posted_revenue_minor bigint;
ALTER TABLE order_work
    -- Whether it waits only so that more is posted together: other work of the order does not wait for it.
    ADD COLUMN is_paced boolean NOT NULL DEFAULT false;
