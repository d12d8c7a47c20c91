-- Looks at the rows of before, beside postings: a validation blocks nobody.
ALTER TABLE wallets VALIDATE CONSTRAINT wallets_guarantee;
ALTER TABLE transactions VALIDATE CONSTRAINT transactions_balance;
ALTER TABLE approvals VALIDATE CONSTRAINT approvals_kind_check;
