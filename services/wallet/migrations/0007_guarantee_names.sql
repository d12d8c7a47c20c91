-- The guarantee: money of the user that is neither available nor in plans. Its names, in a migration of their own, because
-- a new value cannot be used in the transaction that adds it.

-- Replicas of the release before meet the new values only in wallets with a guarantee: post none until they are gone.
-- squawk-ignore ban-add-enum-value
ALTER TYPE transaction_type ADD VALUE 'guarantee_deposit';
-- squawk-ignore ban-add-enum-value
ALTER TYPE transaction_type ADD VALUE 'guarantee_return';
-- squawk-ignore ban-add-enum-value
ALTER TYPE ledger_account ADD VALUE 'guarantee';
-- squawk-ignore ban-add-enum-value
ALTER TYPE flow_type ADD VALUE 'guarantee';
