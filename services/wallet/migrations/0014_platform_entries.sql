-- no-transaction
-- Entries of the platform's accounts, without those that every delivery report moves. Postings go on meanwhile.
CREATE INDEX CONCURRENTLY transactions_platform_account ON transactions (platform_account, id)
    WHERE platform_account IN ('deposits_clearing', 'promotions', 'profit_share', 'withdrawals_clearing', 'chargebacks',
                               'membership', 'fx_clearing');
