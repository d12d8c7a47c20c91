-- Withdrawals, and what protects a wallet: the transaction password and where its money may go.

CREATE TYPE withdrawal_method AS ENUM ('bank_card', 'wallet_address');
CREATE TYPE withdrawal_status AS ENUM ('pending', 'paid', 'rejected');

-- Transaction passwords: argon2id with a secret that is not in here. Every attempt is counted before it is evaluated and
-- taken back when it was right.
CREATE TABLE pay_passwords (
    user_id         uuid PRIMARY KEY,
    hash            text NOT NULL,
    -- Wrong attempts since the last right one, and within the day that the first of them began.
    attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    day_attempts    integer NOT NULL DEFAULT 0 CHECK (day_attempts >= 0),
    day_began_at    timestamptz,
    locked_until    timestamptz,
    -- Until staff reset it.
    locked_for_good boolean NOT NULL DEFAULT false
);

-- Attempts that are being evaluated. Each stands here before it is looked at, and goes with its outcome; what a death left
-- here counts for a minute, not for good. An attempt that is gone from here was nothing.
CREATE TABLE pay_password_attempts (
    id       uuid PRIMARY KEY,
    user_id  uuid NOT NULL REFERENCES pay_passwords ON DELETE CASCADE,
    began_at timestamptz NOT NULL
);
CREATE INDEX pay_password_attempts_user ON pay_password_attempts (user_id);

-- Where money goes, sealed with the key of that id; the key is not in here.
CREATE TABLE destinations (
    user_id  uuid,
    method   withdrawal_method,
    key_id   text NOT NULL,
    sealed   bytea NOT NULL,
    bound_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, method)
);
-- What is still sealed with another key than the one in use is found by it, while keys are changed.
CREATE INDEX destinations_key ON destinations (key_id, user_id, method);

-- Written only together with their postings, and so with the user's wallet. Ids grow with time.
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
CREATE INDEX withdrawals_key ON withdrawals (key_id, id);
