-- The guarantee as a fifth balance of the user, and the second version of the hash chain, which covers every column.

-- A sum of entries like the other balances. Not of the domain `balance`: to add a column of a domain with a check rewrites the
-- table, and nobody could post meanwhile. Replicas of the release before neither read nor write it.
-- squawk-ignore ban-new-write-restriction
ALTER TABLE wallets ADD COLUMN guarantee bigint NOT NULL DEFAULT 0;
-- squawk-ignore ban-new-write-restriction
ALTER TABLE wallets ADD CONSTRAINT wallets_guarantee CHECK (guarantee BETWEEN 0 AND 1000000000000000000) NOT VALID;

-- How the hash of a row is made (chain/entity.rs). Replicas of the release before go on with version 1 and change no guarantee:
-- the defaults are what their rows mean.
ALTER TABLE transactions
    -- squawk-ignore ban-new-write-restriction
    ADD COLUMN guarantee_change bigint NOT NULL DEFAULT 0,
    -- squawk-ignore ban-new-write-restriction
    ADD COLUMN chain_version    smallint NOT NULL DEFAULT 1;

-- The entries sum to zero with the fifth account, too. Rows with a guarantee_change of 0 satisfy one check as the other, so
-- no row of the release before is refused. Both in one statement: no row is ever written unchecked.
ALTER TABLE transactions
    -- squawk-ignore ban-drop-constraint
    DROP CONSTRAINT transactions_balance,
    -- squawk-ignore ban-new-write-restriction
    ADD CONSTRAINT transactions_balance CHECK (
        available_change + to_be_consumed_change + to_be_settled_change + withdrawing_change + guarantee_change
        + platform_change + fee = 0
        AND (platform_account IS NULL) = (platform_change = 0)) NOT VALID;

-- The same columns and the same rows for all transactions of before.
-- squawk-ignore ban-replace-view-function
CREATE OR REPLACE VIEW entries AS
SELECT t.user_id, t.seq, entry.account, entry.amount
FROM transactions t
CROSS JOIN LATERAL (VALUES
    ('available'::ledger_account, t.available_change),
    ('to_be_consumed', t.to_be_consumed_change),
    ('to_be_settled', t.to_be_settled_change),
    ('withdrawing', t.withdrawing_change),
    ('guarantee', t.guarantee_change),
    (t.platform_account, t.platform_change),
    ('withdrawal_fees', t.fee::bigint)
) AS entry (account, amount)
WHERE entry.amount <> 0;

-- Every kind that was allowed stays allowed.
ALTER TABLE approvals
    -- squawk-ignore ban-drop-constraint
    DROP CONSTRAINT approvals_kind_check,
    -- squawk-ignore ban-new-write-restriction
    ADD CONSTRAINT approvals_kind_check CHECK (kind IN (
        'deposit', 'chargeback', 'recharge_deduction', 'membership', 'start_up_grant', 'start_up_return',
        'guarantee_deposit', 'guarantee_return', 'withdrawal_paid')) NOT VALID;
