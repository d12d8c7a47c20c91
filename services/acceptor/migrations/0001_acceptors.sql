-- Persons and enterprises that exchange money.
CREATE TABLE acceptors (
    id               uuid PRIMARY KEY,
    kind             text NOT NULL CHECK (kind IN ('personal', 'enterprise')),
    name             text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    rating_tenths    smallint NOT NULL CHECK (rating_tenths BETWEEN 0 AND 50),
    completed_orders bigint NOT NULL DEFAULT 0 CHECK (completed_orders >= 0),
    created_at       timestamptz NOT NULL,
    created_by       uuid NOT NULL
);

-- Acceptance codes and the offers behind them. Neither changes once it is issued.
CREATE TABLE acceptance_codes (
    code           text PRIMARY KEY CHECK (code ~ '^[A-Z0-9-]{6,32}$'),
    offer_id       uuid NOT NULL UNIQUE,
    acceptor_id    uuid NOT NULL REFERENCES acceptors (id),
    -- Only for this user; NULL: for anyone.
    user_id        uuid,
    direction      text NOT NULL CHECK (direction IN ('wallet_to_currency', 'currency_to_wallet')),
    currency       text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    -- Units of the other currency for one unit of wallet money, in hundred-millionths: exact, never a float.
    rate_e8        bigint NOT NULL CHECK (rate_e8 > 0),
    min_minor      bigint NOT NULL CHECK (min_minor > 0),
    max_minor      bigint NOT NULL CHECK (max_minor >= min_minor),
    expires_at     timestamptz NOT NULL,
    created_at     timestamptz NOT NULL,
    created_by     uuid NOT NULL
);

-- Wrong codes that a user has tried, per window. The row is also the lock that lets a user try one code at a time.
CREATE TABLE code_attempts (
    user_id    uuid PRIMARY KEY,
    wrong      integer NOT NULL CHECK (wrong >= 0),
    -- When the window began: with its first wrong code.
    began_at   timestamptz NOT NULL
);
