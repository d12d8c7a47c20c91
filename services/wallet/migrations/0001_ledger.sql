-- The ledger: wallets, the append-only books behind them, and what orders hold. How postings come in is in
-- 0002_posting.sql. All amounts are integer minor units. Further kinds are added to the enumerations by later migrations.

CREATE TYPE transaction_type AS ENUM ('deposit', 'hold', 'consume', 'accrue', 'release', 'settle');

-- The first four belong to users, the others to the platform. Balances of platform accounts are sums of entries, never a
-- row, so that postings of different users share no lock.
CREATE TYPE ledger_account AS ENUM (
    'available', 'to_be_consumed', 'to_be_settled', 'withdrawing',
    'deposits_clearing', 'promotions', 'ad_spend', 'ad_revenue', 'profit_share'
);

-- How an entry is shown in the fund details.
CREATE TYPE flow_type AS ENUM ('system_top_up', 'ad_billing', 'ad_serving', 'profit_sharing', 'discount_amount');

CREATE TYPE hold_state AS ENUM ('held', 'released', 'settled');

-- One row per user: figures that are sums of the user's entries, and the head of the user's chain. Upper bounds keep
-- every sum far inside bigint.
CREATE TABLE wallets (
    user_id              uuid PRIMARY KEY,
    available            bigint NOT NULL DEFAULT 0 CHECK (available BETWEEN 0 AND 1000000000000000000),
    to_be_consumed       bigint NOT NULL DEFAULT 0 CHECK (to_be_consumed BETWEEN 0 AND 1000000000000000000),
    to_be_settled        bigint NOT NULL DEFAULT 0 CHECK (to_be_settled BETWEEN 0 AND 1000000000000000000),
    withdrawing          bigint NOT NULL DEFAULT 0 CHECK (withdrawing BETWEEN 0 AND 1000000000000000000),
    start_up_outstanding bigint NOT NULL DEFAULT 0 CHECK (start_up_outstanding >= 0),
    -- What coupons paid towards puts, less what was given back.
    discount_total       bigint NOT NULL DEFAULT 0 CHECK (discount_total >= 0),
    -- Number of the user's last transaction; counts from 1 without a hole.
    seq                  bigint NOT NULL DEFAULT 0 CHECK (seq >= 0),
    chain_head           bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex') CHECK (length(chain_head) = 32),
    -- Time of the last transaction: a user's time never runs back, whichever clock stamped it.
    last_posted_at       timestamptz NOT NULL DEFAULT '-infinity',
    created_at           timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50); -- Room for updates on the same page: no index changes with a balance.

-- One row per posting. A transaction belongs to one user and is known by its number in that user's chain. The hash before
-- it is that of the row with the number before.
CREATE TABLE transactions (
    user_id               uuid NOT NULL,
    seq                   bigint NOT NULL CHECK (seq >= 1),
    id                    uuid NOT NULL,
    type                  transaction_type NOT NULL,
    posted_at             timestamptz NOT NULL,
    available_change      bigint NOT NULL,
    to_be_consumed_change bigint NOT NULL,
    to_be_settled_change  bigint NOT NULL,
    withdrawing_change    bigint NOT NULL,
    available_after       bigint NOT NULL,
    to_be_consumed_after  bigint NOT NULL,
    to_be_settled_after   bigint NOT NULL,
    withdrawing_after     bigint NOT NULL,
    hash                  bytea NOT NULL CHECK (length(hash) = 32),
    -- For postings of an order: the order, and the version of its delivery at that moment. At one version an order is
    -- posted to at most once for each type; in this order of columns and of types it is also the order of time.
    order_id              uuid,
    order_version         bigint,
    -- For postings that staff made: the key that makes a repeated call one call, and the SHA-256 of what was asked for.
    idempotency_key       text COLLATE "C" CHECK (length(idempotency_key) <= 400),
    request_digest        bytea,
    staff_id              uuid,
    remark                text NOT NULL DEFAULT '',
    PRIMARY KEY (user_id, seq),
    CHECK ((order_id IS NULL) = (order_version IS NULL)),
    CHECK ((order_id IS NULL) <> (idempotency_key IS NULL))
);
CREATE UNIQUE INDEX transactions_order ON transactions (order_id, order_version, type) WHERE order_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_idempotency_key ON transactions (idempotency_key) WHERE idempotency_key IS NOT NULL;

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

-- The legs of transactions. Platform legs carry the transaction's user too. There is no foreign key, whose check would cost
-- more than the insert: only post_batch writes here, and reconciliation compares both tables.
CREATE TABLE entries (
    user_id       uuid NOT NULL,
    seq           bigint NOT NULL,
    leg           smallint NOT NULL CHECK (leg >= 1),
    account       ledger_account NOT NULL,
    -- Set on the legs that the fund details show, with that account's balance after the transaction.
    flow_type     flow_type,
    amount        bigint NOT NULL CHECK (amount <> 0),
    balance_after bigint,
    PRIMARY KEY (user_id, seq, leg),
    CHECK ((flow_type IS NULL) = (balance_after IS NULL))
);
CREATE INDEX entries_flow_type ON entries (user_id, flow_type, seq, leg) WHERE flow_type IS NOT NULL;

-- The legs of each type of transaction: what moves between which accounts, and what of it the fund details show. A leg's
-- amount is made of the transaction's two parts: the user's own money and the coupon's, or revenue and the platform's share.
CREATE TABLE transaction_legs (
    type        transaction_type,
    leg         smallint,
    account     ledger_account NOT NULL,
    first_sign  smallint NOT NULL,
    second_sign smallint NOT NULL,
    flow_type   flow_type,
    PRIMARY KEY (type, leg)
);
INSERT INTO transaction_legs (type, leg, account, first_sign, second_sign, flow_type) VALUES
    ('deposit', 1, 'deposits_clearing', -1,  0, NULL),
    ('deposit', 2, 'available',         +1,  0, 'system_top_up'),
    ('hold',    1, 'available',         -1,  0, 'ad_serving'),
    ('hold',    2, 'to_be_consumed',    +1,  0, NULL),
    ('hold',    3, 'promotions',         0, -1, NULL),
    ('hold',    4, 'to_be_consumed',     0, +1, 'discount_amount'),
    ('consume', 1, 'to_be_consumed',    -1,  0, 'ad_billing'),
    ('consume', 2, 'ad_spend',          +1,  0, NULL),
    ('accrue',  1, 'ad_revenue',        -1,  0, NULL),
    ('accrue',  2, 'to_be_settled',     +1,  0, NULL),
    ('release', 1, 'to_be_consumed',    -1,  0, NULL),
    ('release', 2, 'available',         +1,  0, 'ad_serving'),
    ('release', 3, 'to_be_consumed',     0, -1, 'discount_amount'),
    ('release', 4, 'promotions',         0, +1, NULL),
    ('settle',  1, 'to_be_settled',     -1,  0, NULL),
    ('settle',  2, 'available',         +1, -1, 'profit_sharing'),
    ('settle',  3, 'profit_share',       0, +1, NULL);

-- What orders hold, and how far their delivery has been recorded. Guarded by the lock on the user's wallet.
CREATE TABLE holds (
    order_id                uuid PRIMARY KEY,
    user_id                 uuid NOT NULL,
    state                   hold_state NOT NULL,
    -- Both 0 when the order was released before it held anything.
    paid                    bigint NOT NULL CHECK (paid >= 0),
    discount                bigint NOT NULL CHECK (discount >= 0),
    version                 bigint NOT NULL DEFAULT 0,
    consumed                bigint NOT NULL DEFAULT 0 CHECK (consumed >= 0),
    revenue                 bigint NOT NULL DEFAULT 0 CHECK (revenue >= 0),
    paid_returned           bigint NOT NULL DEFAULT 0 CHECK (paid_returned BETWEEN 0 AND paid),
    discount_returned       bigint NOT NULL DEFAULT 0 CHECK (discount_returned BETWEEN 0 AND discount),
    -- Part of paid_returned that the settlement gave back.
    paid_returned_at_settle bigint NOT NULL DEFAULT 0,
    platform_share          bigint NOT NULL DEFAULT 0 CHECK (platform_share BETWEEN 0 AND revenue),
    created_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT holds_open CHECK (consumed + paid_returned + discount_returned <= paid + discount),
    CONSTRAINT holds_settled CHECK (state <> 'settled' OR consumed + paid_returned + discount_returned = paid + discount)
) WITH (fillfactor = 70);
-- Reconciliation walks the open ones in order of id.
CREATE INDEX holds_not_settled ON holds (order_id) WHERE state <> 'settled';

-- The books are only ever appended to. The revoked privileges bind every role but superusers, the triggers those too.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER transactions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON transactions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
REVOKE UPDATE, DELETE, TRUNCATE ON transactions, entries FROM PUBLIC, CURRENT_USER;

-- No statement can leave a transaction behind whose entries do not sum to zero.
CREATE FUNCTION refuse_unbalanced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM added GROUP BY user_id, seq HAVING sum(amount) <> 0) THEN
        RAISE EXCEPTION 'entries of a transaction do not sum to zero' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER entries_balance AFTER INSERT ON entries REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced();
