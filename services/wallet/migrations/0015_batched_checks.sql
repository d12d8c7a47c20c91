-- Looks at the rows of before, beside postings: a validation blocks nobody.
ALTER TABLE withdrawals VALIDATE CONSTRAINT withdrawals_batched;
ALTER TABLE withdrawals VALIDATE CONSTRAINT withdrawals_take_out;
