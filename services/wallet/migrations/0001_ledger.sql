-- The ledger: wallets, the append-only books behind them, and what orders hold. All amounts are integer minor units.
--
-- Only the writer in posting/ writes here, and every rule of the ledger stands there, in posting/entity.rs. This file keeps
-- what must hold whatever the programs do: the books are only appended to, the entries of a transaction sum to zero, no
-- balance is negative, and an order, a key or a number is used once.

-- Upper bounds keep every sum far inside bigint. Domains, because the check of a domain is parsed once a session, and that
-- of a table once a statement.
CREATE DOMAIN balance AS bigint CONSTRAINT balance_range CHECK (VALUE BETWEEN 0 AND 1000000000000000000);
CREATE DOMAIN sha256_hash AS bytea CONSTRAINT sha256_hash_length CHECK (length(VALUE) = 32);

CREATE TYPE transaction_type AS ENUM (
    'deposit', 'hold', 'consume', 'accrue', 'release', 'settle', 'withdraw', 'withdrawal_paid', 'withdrawal_rejected',
    'chargeback', 'recharge_deduction', 'membership', 'exchange_debit', 'exchange_return', 'exchange_credit',
    'start_up_grant', 'start_up_return'
);

-- The first four belong to users, the others to the platform. Balances of platform accounts are sums of entries, never a
-- row, so that postings of different users share no lock.
CREATE TYPE ledger_account AS ENUM (
    'available', 'to_be_consumed', 'to_be_settled', 'withdrawing',
    'deposits_clearing', 'promotions', 'ad_spend', 'ad_revenue', 'profit_share', 'withdrawals_clearing',
    'withdrawal_fees', 'chargebacks', 'membership', 'fx_clearing'
);

-- How a transaction is shown in the fund details.
CREATE TYPE flow_type AS ENUM (
    'system_top_up', 'ad_billing', 'ad_serving', 'profit_sharing', 'discount_amount', 'manual_payout',
    'system_chargeback', 'virtual_recharge_deduction', 'open_membership', 'exchange', 'start_up_funds'
);

CREATE TYPE hold_state AS ENUM ('held', 'released', 'settled');

-- One row per user: figures that are sums of the user's entries, and the head of the user's chain. Every command that
-- changes anything of a user's writes this row, so a batch that finds the row as it read it has read all as it is.
CREATE TABLE wallets (
    user_id                uuid PRIMARY KEY,
    available              balance NOT NULL DEFAULT 0,
    to_be_consumed         balance NOT NULL DEFAULT 0,
    to_be_settled          balance NOT NULL DEFAULT 0,
    withdrawing            balance NOT NULL DEFAULT 0,
    start_up_outstanding   balance NOT NULL DEFAULT 0,
    -- What coupons paid towards puts, less what was given back.
    discount_total         balance NOT NULL DEFAULT 0,
    -- Number of the user's last transaction; counts from 1 without a hole.
    seq                    bigint NOT NULL DEFAULT 0 CHECK (seq >= 0),
    chain_head             sha256_hash NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    -- Time of the last transaction, null before the first: a user's time never runs back, whichever clock stamped it.
    last_posted_at         timestamptz,
    -- What a wallet's page shows comes from this one row; the flags follow the tables of 0002 in the same transaction.
    has_pay_password       boolean NOT NULL DEFAULT false,
    has_bank_card          boolean NOT NULL DEFAULT false,
    has_wallet_address     boolean NOT NULL DEFAULT false,
    -- The last change of what protects the wallet: login password, transaction password, destinations. Withdrawals wait for
    -- a while after it. Null before the first; setting up what was not there yet is none.
    protection_changed_at  timestamptz,
    -- Whether staff ever removed the transaction password: setting one after that is a change.
    pay_password_was_reset boolean NOT NULL DEFAULT false,
    created_at             timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50); -- Room for updates on the same page: no index changes with a balance.

-- One row per transaction, which belongs to one user and is known by its number in that user's chain. The hash before it is
-- that of the row with the number before. Its entries are columns: the changes of the user's four accounts, the change of
-- at most one platform account, and the fee of a paid withdrawal.
CREATE TABLE transactions (
    user_id               uuid NOT NULL,
    seq                   bigint NOT NULL,
    id                    uuid NOT NULL,
    type                  transaction_type NOT NULL,
    posted_at             timestamptz NOT NULL,
    available_change      bigint NOT NULL,
    to_be_consumed_change bigint NOT NULL,
    to_be_settled_change  bigint NOT NULL,
    withdrawing_change    bigint NOT NULL,
    platform_change       bigint NOT NULL,
    platform_account      ledger_account,
    -- Set when the fund details show the change of the user's account that this type is about.
    flow_type             flow_type,
    -- What of a paid withdrawal the platform keeps, on the account withdrawal_fees.
    fee                   balance NOT NULL,
    available_after       balance NOT NULL,
    to_be_consumed_after  balance NOT NULL,
    to_be_settled_after   balance NOT NULL,
    withdrawing_after     balance NOT NULL,
    hash                  sha256_hash NOT NULL,
    -- For postings of an order: the order, and the version of its delivery at that moment. At one version an order is
    -- posted to at most once for each type; in this order of columns and of types it is also the order of time.
    order_id              uuid,
    order_version         bigint,
    -- The withdrawal or exchange order that a posting belongs to.
    reference             uuid,
    -- For all other postings: the key that makes a repeated call one call, and the SHA-256 of what was asked for.
    idempotency_key       text COLLATE "C",
    request_digest        sha256_hash,
    staff_id              uuid,
    remark                text NOT NULL,
    PRIMARY KEY (user_id, seq),
    CONSTRAINT transactions_balance CHECK (
        available_change + to_be_consumed_change + to_be_settled_change + withdrawing_change + platform_change + fee = 0
        AND (platform_account IS NULL) = (platform_change = 0)),
    CONSTRAINT transactions_cause CHECK (
        (order_id IS NULL) = (order_version IS NULL) AND (order_id IS NULL) = (idempotency_key IS NOT NULL)
        AND (idempotency_key IS NULL) = (request_digest IS NULL) AND length(idempotency_key) <= 400)
);
CREATE UNIQUE INDEX transactions_order ON transactions (order_id, order_version, type) WHERE order_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_idempotency_key ON transactions (idempotency_key) WHERE idempotency_key IS NOT NULL;
-- The lines of the fund details, and among them those that show the coupon's part of an order.
CREATE INDEX transactions_flow_type ON transactions (user_id, flow_type, seq) WHERE flow_type IS NOT NULL;
CREATE INDEX transactions_coupon ON transactions (user_id, seq) WHERE platform_account = 'promotions' AND order_id IS NOT NULL;

-- The entries of all transactions, for auditors: account by account, without those that change nothing.
CREATE VIEW entries AS
SELECT t.user_id, t.seq, entry.account, entry.amount
FROM transactions t
CROSS JOIN LATERAL (VALUES
    ('available'::ledger_account, t.available_change),
    ('to_be_consumed', t.to_be_consumed_change),
    ('to_be_settled', t.to_be_settled_change),
    ('withdrawing', t.withdrawing_change),
    (t.platform_account, t.platform_change),
    ('withdrawal_fees', t.fee::bigint)
) AS entry (account, amount)
WHERE entry.amount <> 0;

-- The number of a user's first transaction at or after a time, or the next number if there is none. Found by halving: times
-- of a user never run against the numbers, so no index on them is needed.
CREATE FUNCTION first_seq_since(p_user uuid, p_time timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    low bigint := 1;
    high bigint := coalesce((SELECT seq FROM wallets WHERE user_id = p_user), 0) + 1;
    middle bigint;
BEGIN
    WHILE low < high LOOP
        middle := (low + high) / 2;
        IF (SELECT posted_at >= p_time FROM transactions WHERE user_id = p_user AND seq = middle) THEN
            high := middle;
        ELSE
            low := middle + 1;
        END IF;
    END LOOP;
    RETURN low;
END $$;

-- What orders hold, and how far their delivery has been recorded. Changes only together with the user's wallet.
CREATE TABLE holds (
    order_id                uuid PRIMARY KEY,
    user_id                 uuid NOT NULL,
    state                   hold_state NOT NULL,
    -- Both 0 when the order was released before it held anything.
    paid                    balance NOT NULL,
    discount                balance NOT NULL,
    version                 bigint NOT NULL,
    consumed                balance NOT NULL,
    revenue                 balance NOT NULL,
    paid_returned           balance NOT NULL,
    discount_returned       balance NOT NULL,
    -- Part of paid_returned that the settlement gave back.
    paid_returned_at_settle balance NOT NULL,
    platform_share          balance NOT NULL,
    created_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT holds_open CHECK (consumed + paid_returned + discount_returned <= paid + discount),
    CONSTRAINT holds_settled CHECK (state <> 'settled' OR consumed + paid_returned + discount_returned = paid + discount),
    CONSTRAINT holds_parts CHECK (paid_returned <= paid AND discount_returned <= discount AND platform_share <= revenue)
) WITH (fillfactor = 70);
-- Reconciliation walks the open ones in order of id.
CREATE INDEX holds_not_settled ON holds (order_id) WHERE state <> 'settled';

-- Exchange orders that may never be debited any more. An acceptor that could not learn whether its debit arrived asks for
-- the return. The return of a debit that has not come closes the order: whenever the debit comes, it is refused. So the
-- acceptor may forget the order at once, however long a call was on its way.
CREATE TABLE closed_exchanges (
    exchange_id uuid PRIMARY KEY,
    user_id     uuid NOT NULL,
    closed_at   timestamptz NOT NULL
);

-- The books are only ever appended to. The revoked privileges bind every role but superusers, the triggers those too.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER transactions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transactions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_exchanges_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON closed_exchanges
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON transactions, closed_exchanges FROM PUBLIC, CURRENT_USER;
-- Through the view, nobody writes at all.
REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON entries FROM PUBLIC, CURRENT_USER;

-- Ends the statement of a batch, and with it everything that it has written, unless it has written as many wallets as the
-- batch changes: one that has changed since it was read is not written. The writer then reads again.
CREATE FUNCTION require_current(written bigint, expected bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF written <> expected THEN
        RAISE EXCEPTION '% of % wallets have changed since they were read', expected - written, expected
            USING ERRCODE = 'serialization_failure';
    END IF;
END $$;

-- The proof of the books that is made in the background: when a replica began it last, and what the last that finished
-- found.
CREATE TABLE proofs (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    begun_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz,
    outcome     jsonb,
    CHECK ((finished_at IS NULL) = (outcome IS NULL))
);
INSERT INTO proofs DEFAULT VALUES;
