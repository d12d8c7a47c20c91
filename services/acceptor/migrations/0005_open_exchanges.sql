-- no-transaction
-- A user has one open order at a time. One that is completed late is none: its user may have opened another meanwhile.
-- The release before refuses a second open order as well.
-- squawk-ignore ban-new-write-restriction
CREATE UNIQUE INDEX CONCURRENTLY exchanges_one_open ON exchanges (user_id)
    WHERE state IN ('placing', 'pending', 'completing', 'cancelling', 'expiring') AND late_from IS NULL;
