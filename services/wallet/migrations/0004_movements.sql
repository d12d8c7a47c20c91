-- Withdrawals, what protects a wallet, and what the new kinds of posting move.

CREATE TYPE withdrawal_method AS ENUM ('bank_card', 'wallet_address');
CREATE TYPE withdrawal_status AS ENUM ('pending', 'paid', 'rejected');

-- What a wallet's page shows comes from this one row; the flags follow the tables below in the same transaction.
ALTER TABLE wallets
    ADD COLUMN has_pay_password   boolean NOT NULL DEFAULT false,
    ADD COLUMN has_bank_card      boolean NOT NULL DEFAULT false,
    ADD COLUMN has_wallet_address boolean NOT NULL DEFAULT false;

-- The withdrawal or exchange order that a posting belongs to; orders of plans have a column of their own.
ALTER TABLE transactions ADD COLUMN reference uuid;

-- Transaction passwords: argon2id with a secret that is not in here. Every attempt is counted before it is evaluated and
-- taken back when it was right.
CREATE TABLE pay_passwords (
    user_id         uuid PRIMARY KEY,
    hash            text NOT NULL,
    -- Attempts since the last right one, and within the day that the first of them began.
    attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    day_attempts    integer NOT NULL DEFAULT 0 CHECK (day_attempts >= 0),
    day_began_at    timestamptz,
    locked_until    timestamptz,
    -- Until staff reset it.
    locked_for_good boolean NOT NULL DEFAULT false
);

-- Where money goes, sealed with the key of that id; the key is not in here.
CREATE TABLE destinations (
    user_id  uuid,
    method   withdrawal_method,
    key_id   text NOT NULL,
    sealed   bytea NOT NULL,
    bound_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, method)
);

-- Guarded by the lock on the user's wallet, and written only together with the postings. Ids grow with time.
CREATE TABLE withdrawals (
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL,
    amount       bigint NOT NULL CHECK (amount > 0),
    fee          bigint NOT NULL CHECK (fee >= 0 AND fee < amount),
    method       withdrawal_method NOT NULL,
    status       withdrawal_status NOT NULL,
    reason       text NOT NULL DEFAULT '',
    requested_at timestamptz NOT NULL,
    decided_at   timestamptz,
    -- The destination as it was bound then.
    key_id       text NOT NULL,
    sealed       bytea NOT NULL,
    CHECK ((status = 'pending') = (decided_at IS NULL))
);
CREATE INDEX withdrawals_user ON withdrawals (user_id, id);
CREATE INDEX withdrawals_status ON withdrawals (status, id);
CREATE INDEX withdrawals_user_status ON withdrawals (user_id, status, id);

-- What the kinds move that belong to no order of a plan: how the command's amount changes each figure.
CREATE TABLE movements (
    kind             posting_kind PRIMARY KEY,
    type             transaction_type NOT NULL,
    available_sign   smallint NOT NULL,
    withdrawing_sign smallint NOT NULL,
    start_up_sign    smallint NOT NULL
);
INSERT INTO movements (kind, type, available_sign, withdrawing_sign, start_up_sign) VALUES
    ('deposit',             'deposit',             +1,  0,  0),
    ('withdraw',            'withdraw',            -1, +1,  0),
    ('withdrawal_paid',     'withdrawal_paid',      0, -1,  0),
    ('withdrawal_rejected', 'withdrawal_rejected', +1, -1,  0),
    ('chargeback',          'chargeback',          -1,  0,  0),
    ('recharge_deduction',  'recharge_deduction',  -1,  0,  0),
    ('membership',          'membership',          -1,  0,  0),
    ('exchange_debit',      'exchange_debit',      -1,  0,  0),
    ('exchange_return',     'exchange_return',     +1,  0,  0),
    ('exchange_credit',     'exchange_credit',     +1,  0,  0),
    ('start_up_grant',      'start_up_grant',      +1,  0, +1),
    ('start_up_return',     'start_up_return',     -1,  0, -1);

-- The second part of a paid withdrawal is its fee.
INSERT INTO transaction_legs (type, leg, account, first_sign, second_sign, flow_type) VALUES
    ('withdraw',            1, 'available',            -1,  0, 'manual_payout'),
    ('withdraw',            2, 'withdrawing',          +1,  0, NULL),
    ('withdrawal_paid',     1, 'withdrawing',          -1,  0, NULL),
    ('withdrawal_paid',     2, 'withdrawals_clearing', +1, -1, NULL),
    ('withdrawal_paid',     3, 'withdrawal_fees',       0, +1, NULL),
    ('withdrawal_rejected', 1, 'withdrawing',          -1,  0, NULL),
    ('withdrawal_rejected', 2, 'available',            +1,  0, 'manual_payout'),
    ('chargeback',          1, 'available',            -1,  0, 'system_chargeback'),
    ('chargeback',          2, 'chargebacks',          +1,  0, NULL),
    ('recharge_deduction',  1, 'available',            -1,  0, 'virtual_recharge_deduction'),
    ('recharge_deduction',  2, 'deposits_clearing',    +1,  0, NULL),
    ('membership',          1, 'available',            -1,  0, 'open_membership'),
    ('membership',          2, 'membership',           +1,  0, NULL),
    ('exchange_debit',      1, 'available',            -1,  0, 'exchange'),
    ('exchange_debit',      2, 'fx_clearing',          +1,  0, NULL),
    ('exchange_return',     1, 'fx_clearing',          -1,  0, NULL),
    ('exchange_return',     2, 'available',            +1,  0, 'exchange'),
    ('exchange_credit',     1, 'fx_clearing',          -1,  0, NULL),
    ('exchange_credit',     2, 'available',            +1,  0, 'exchange'),
    ('start_up_grant',      1, 'promotions',           -1,  0, NULL),
    ('start_up_grant',      2, 'available',            +1,  0, 'start_up_funds'),
    ('start_up_return',     1, 'available',            -1,  0, 'start_up_funds'),
    ('start_up_return',     2, 'promotions',           +1,  0, NULL);
