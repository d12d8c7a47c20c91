-- Exchange orders. Inner states: `placing` until wallet has given the money, `undoing` and `refused` once wallet has said no;
-- users see none of these. `completing`, `cancelling`, `expiring`: decided for good, and being brought to wallet.
CREATE TABLE exchanges (
    id              uuid PRIMARY KEY,
    user_id         uuid NOT NULL,
    acceptor_id     uuid NOT NULL REFERENCES acceptors (id),
    -- Copies: a list needs no other table.
    acceptor_name   text NOT NULL,
    acceptor_kind   text NOT NULL CHECK (acceptor_kind IN ('personal', 'enterprise')),
    offer_id        uuid NOT NULL REFERENCES acceptance_codes (offer_id),
    direction       text NOT NULL CHECK (direction IN ('wallet_to_currency', 'currency_to_wallet')),
    currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    rate_e8         bigint NOT NULL CHECK (rate_e8 > 0),
    amount_minor    bigint NOT NULL CHECK (amount_minor > 0),
    -- A decimal in the other currency, as it is shown.
    counter_amount  text NOT NULL CHECK (counter_amount ~ '^[0-9]+(\.[0-9]+)?$'),
    state           text NOT NULL CHECK (state IN ('placing', 'undoing', 'refused', 'pending', 'completing', 'cancelling',
                                                   'expiring', 'completed', 'cancelled', 'expired')),
    -- What users see of the state; NULL for what they do not see at all.
    status          text GENERATED ALWAYS AS (
                        CASE WHEN state IN ('pending', 'completing', 'cancelling', 'expiring') THEN 'pending'
                             WHEN state IN ('completed', 'cancelled', 'expired') THEN state END) STORED,
    -- Why it was cancelled.
    reason          text NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    finished_at     timestamptz,
    -- The call that opened it: its key, its digest, and what it was answered, for the repeats.
    idempotency_key text,
    request_digest  bytea NOT NULL,
    answer          bytea,
    refusal_reason  text,
    refusal_field   text,
    -- The keyed call that decided it, which is answered once wallet has posted.
    ending_scope    uuid,
    ending_key      text,
    -- Who drives it, until when, and when the next one may.
    attempts        integer NOT NULL,
    lease_token     uuid NOT NULL,
    lease_until     timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    CHECK ((ending_scope IS NULL) = (ending_key IS NULL)),
    CHECK ((state IN ('completed', 'cancelled', 'expired', 'refused')) = (finished_at IS NOT NULL))
);
CREATE UNIQUE INDEX exchanges_key ON exchanges (user_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- A user has one open order at a time; the race is decided here. It is also how the present one is found.
CREATE UNIQUE INDEX exchanges_open ON exchanges (user_id)
    WHERE state IN ('placing', 'pending', 'completing', 'cancelling', 'expiring');
CREATE INDEX exchanges_unfinished ON exchanges (next_attempt_at)
    WHERE state IN ('placing', 'undoing', 'completing', 'cancelling', 'expiring');
CREATE INDEX exchanges_expiring ON exchanges (expires_at) WHERE state = 'pending';
CREATE INDEX exchanges_keys_by_age ON exchanges (created_at) WHERE idempotency_key IS NOT NULL;
-- One per list, so that its first and its last page cost the same.
CREATE INDEX exchanges_of_user ON exchanges (user_id, id) WHERE status IS NOT NULL;
CREATE INDEX exchanges_of_user_by_status ON exchanges (user_id, status, id) WHERE status IS NOT NULL;
CREATE INDEX exchanges_all ON exchanges (id) WHERE status IS NOT NULL;
CREATE INDEX exchanges_by_status ON exchanges (status, id) WHERE status IS NOT NULL;
