-- What a refused amount falls short by, so that a repeat of the request gets the same answer. The release
-- before leaves it out.
-- squawk-ignore ban-new-write-restriction
ALTER TABLE puts ADD COLUMN refusal_missing_minor bigint CHECK (refusal_missing_minor > 0);
