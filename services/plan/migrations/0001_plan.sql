-- Products, operators, plans (orders), the put saga, delivery reports and their roll-ups.
-- Order of locks, everywhere: puts, then orders in order of id, then user_totals in order of user_id, then the rest.
-- The row of user_totals also orders the events of a user in the outbox.

CREATE TABLE products (
    id               uuid PRIMARY KEY,
    name             text NOT NULL,
    icon_url         text NOT NULL,
    cover_url        text NOT NULL,
    category         text NOT NULL,
    description      text NOT NULL,
    game_description text NOT NULL,
    content_types    text[] NOT NULL,
    put_min_minor    bigint NOT NULL CHECK (put_min_minor > 0),
    put_max_minor    bigint NOT NULL CHECK (put_max_minor >= put_min_minor),
    regions          text[] NOT NULL,
    age_min          integer NOT NULL CHECK (age_min >= 0),
    age_max          integer NOT NULL CHECK (age_max >= age_min),
    gender           text NOT NULL CHECK (gender IN ('any', 'female', 'male')),
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL
);

CREATE TABLE operators (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    created_at timestamptz NOT NULL
);

-- A plan, from its push or put to its settlement. `placing` and `refused` are the inner states of a put into a product and
-- never shown; a pushed plan stays `waiting` while its put is under way.
CREATE TABLE orders (
    id                    uuid PRIMARY KEY,
    user_id               uuid NOT NULL,
    plan_number           text NOT NULL CONSTRAINT orders_plan_number_key UNIQUE,
    product_id            uuid NOT NULL REFERENCES products,
    product_name          text NOT NULL,
    product_icon_url      text NOT NULL,
    status                text NOT NULL CHECK (status IN ('placing', 'refused', 'waiting', 'matching', 'putting', 'put_failed',
                                                          'put_finished', 'waiting_settlement', 'settled')),
    official              boolean NOT NULL,
    operator_id           uuid REFERENCES operators,
    put_content           text NOT NULL,
    put_rule              text NOT NULL,
    regions               text[] NOT NULL,
    age_min               integer NOT NULL,
    age_max               integer NOT NULL,
    gender                text NOT NULL,
    -- The proposed amount until the put, then the budget.
    put_amount_minor      bigint NOT NULL CHECK (put_amount_minor > 0),
    paid_amount_minor     bigint NOT NULL CHECK (paid_amount_minor >= 0),
    discount_amount_minor bigint NOT NULL CHECK (discount_amount_minor >= 0),
    coupon_id             uuid,
    coupon_name           text NOT NULL,
    -- What the coupon service knows this order by: the order's own id, or the put's after an earlier put gave a coupon back.
    reservation_id        uuid,
    impressions           bigint NOT NULL CHECK (impressions >= 0),
    clicks                bigint NOT NULL CHECK (clicks >= 0),
    -- Reported spend; what is over the budget is kept and not charged.
    reported_micros       bigint NOT NULL CHECK (reported_micros >= 0),
    charged_micros        bigint NOT NULL CHECK (charged_micros >= 0),
    revenue_micros        bigint NOT NULL CHECK (revenue_micros >= 0),
    estimated_reports     bigint NOT NULL CHECK (estimated_reports >= 0),
    sources               text[] NOT NULL,
    -- Counts the changes of the totals above; the ledger has those up to posted_version.
    version               bigint NOT NULL,
    posted_version        bigint NOT NULL CHECK (posted_version <= version),
    -- An ending that has been decided and waits for wallet and coupon. No report is taken meanwhile.
    pending               text CHECK (pending IN ('fail', 'settle')),
    fail_reason           text NOT NULL,
    paid_out_minor        bigint NOT NULL,
    created_at            timestamptz NOT NULL,
    put_at                timestamptz,
    window_ends_at        timestamptz,
    finished_at           timestamptz,
    settle_after          timestamptz,
    settled_at            timestamptz,
    CONSTRAINT orders_charged_within_reported CHECK (charged_micros <= reported_micros),
    CONSTRAINT orders_charged_within_budget CHECK (charged_micros <= put_amount_minor * 10000),
    CONSTRAINT orders_paid_sums CHECK (status IN ('placing', 'refused', 'waiting')
                                       OR put_amount_minor = paid_amount_minor + discount_amount_minor
                                       OR put_at IS NULL)
);
-- Lists of a user: one range per pair of filter values, merged newest first, whatever the filter.
CREATE INDEX orders_of_user ON orders (user_id, official, status, id DESC);
-- Lists of staff.
CREATE INDEX orders_by_status ON orders (status, id DESC);
-- Plans that hold money, for reconciliation.
CREATE INDEX orders_holding ON orders (id) WHERE status IN ('placing', 'waiting', 'matching', 'putting', 'put_finished', 'waiting_settlement');
-- Running budgets of a user.
CREATE INDEX orders_running ON orders (user_id) WHERE status IN ('matching', 'putting');
-- What time ends.
CREATE INDEX orders_window ON orders (window_ends_at) WHERE status IN ('matching', 'putting') AND pending IS NULL;
CREATE INDEX orders_settle_after ON orders (settle_after) WHERE status = 'waiting_settlement' AND pending IS NULL;

-- The life of a plan.
CREATE TABLE order_history (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id uuid NOT NULL REFERENCES orders,
    status   text NOT NULL,
    time     timestamptz NOT NULL,
    reason   text NOT NULL
);
CREATE INDEX order_history_of_order ON order_history (order_id, id);

-- How many plans of each status a user has, so that tabs cost the same however many plans there are.
CREATE TABLE order_counts (
    user_id  uuid NOT NULL,
    official boolean NOT NULL,
    status   text NOT NULL,
    count    bigint NOT NULL,
    PRIMARY KEY (user_id, official, status)
);

CREATE FUNCTION count_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.status NOT IN ('placing', 'refused') THEN
        UPDATE order_counts SET count = count - 1
        WHERE user_id = OLD.user_id AND official = OLD.official AND status = OLD.status;
    END IF;
    IF NEW.status NOT IN ('placing', 'refused') THEN
        INSERT INTO order_counts AS counts (user_id, official, status, count)
        VALUES (NEW.user_id, NEW.official, NEW.status, 1)
        ON CONFLICT (user_id, official, status) DO UPDATE SET count = counts.count + 1;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER orders_counted_on_insert AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION count_orders();
CREATE TRIGGER orders_counted_on_update AFTER UPDATE OF status ON orders
    FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION count_orders();

-- The put saga: one row for each attempt to put money into an order, from before the first call to a peer until its end.
CREATE TABLE puts (
    id               uuid PRIMARY KEY,
    user_id          uuid NOT NULL,
    idempotency_key  text,
    request_digest   bytea NOT NULL,
    -- Deferred, because the put is written before its order: a repeat must stop at the key, without an order.
    order_id         uuid NOT NULL REFERENCES orders DEFERRABLE INITIALLY DEFERRED,
    reservation_id   uuid NOT NULL,
    amount_minor     bigint NOT NULL CHECK (amount_minor > 0),
    user_coupon_id   uuid,
    state            text NOT NULL CHECK (state IN ('driving', 'undoing', 'placed', 'refused')),
    -- Known once the coupon is reserved, or at once without a coupon.
    put_amount_minor bigint,
    paid_minor       bigint,
    discount_minor   bigint,
    coupon_name      text NOT NULL,
    -- Why it was refused, kept for the repeats.
    refusal_reason   text,
    refusal_field    text,
    -- Whether wallet may know of the order, so that undoing must close it there.
    release_hold     boolean NOT NULL,
    -- Whether the coupon still has to be told: only when the event of the order does not name the reservation.
    redeem_due       boolean NOT NULL,
    -- The first answer, byte for byte, for the repeats.
    answer           bytea,
    attempts         integer NOT NULL,
    lease_token      uuid NOT NULL,
    lease_until      timestamptz NOT NULL,
    next_attempt_at  timestamptz NOT NULL,
    created_at       timestamptz NOT NULL,
    finished_at      timestamptz
);
CREATE UNIQUE INDEX puts_key ON puts (user_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- At most one put of an order is under way or succeeded.
CREATE UNIQUE INDEX puts_live ON puts (order_id) WHERE state IN ('driving', 'undoing', 'placed');
CREATE INDEX puts_unfinished ON puts (next_attempt_at) WHERE state IN ('driving', 'undoing') OR redeem_due;
CREATE INDEX puts_finished_at ON puts (finished_at) WHERE idempotency_key IS NOT NULL AND finished_at IS NOT NULL;

-- Orders with something to tell to the ledger: totals to post, an ending to carry out. A row is written in the transaction
-- that makes the work and deleted, under the order's lock, when nothing is left.
CREATE TABLE order_work (
    order_id    uuid PRIMARY KEY REFERENCES orders,
    due_at      timestamptz NOT NULL,
    attempts    integer NOT NULL DEFAULT 0,
    lease_token uuid,
    lease_until timestamptz
);
CREATE INDEX order_work_due ON order_work (due_at);

-- Delivery reports, each at its latest revision. Imports of one source queue up on an advisory lock.
CREATE TABLE delivery_reports (
    source         text NOT NULL,
    report_id      text NOT NULL,
    revision       bigint NOT NULL,
    order_id       uuid NOT NULL,
    time           timestamptz NOT NULL,
    impressions    bigint NOT NULL CHECK (impressions >= 0),
    clicks         bigint NOT NULL CHECK (clicks >= 0),
    spend_micros   bigint NOT NULL CHECK (spend_micros >= 0),
    -- Its part of what the order was charged.
    charged_micros bigint NOT NULL CHECK (charged_micros BETWEEN 0 AND spend_micros),
    revenue_micros bigint NOT NULL CHECK (revenue_micros >= 0),
    estimated      boolean NOT NULL,
    origin         text NOT NULL CHECK (origin IN ('import', 'network', 'simulator')),
    received_at    timestamptz NOT NULL,
    PRIMARY KEY (source, report_id)
);
-- Reports of an order that were not charged in full: they take up what a restatement frees.
CREATE INDEX delivery_reports_over ON delivery_reports (order_id, time, source, report_id) WHERE charged_micros < spend_micros;

-- Roll-ups in 15-minute UTC buckets, of which every time zone's day is a whole number.
CREATE TABLE plan_buckets (
    order_id       uuid NOT NULL,
    bucket         timestamptz NOT NULL,
    impressions    bigint NOT NULL,
    clicks         bigint NOT NULL,
    charged_micros bigint NOT NULL,
    revenue_micros bigint NOT NULL,
    PRIMARY KEY (order_id, bucket)
);
CREATE TABLE user_buckets (
    user_id         uuid NOT NULL,
    bucket          timestamptz NOT NULL,
    impressions     bigint NOT NULL,
    clicks          bigint NOT NULL,
    charged_micros  bigint NOT NULL,
    revenue_micros  bigint NOT NULL,
    invested_minor  bigint NOT NULL,
    delivery_orders bigint NOT NULL,
    PRIMARY KEY (user_id, bucket)
);
-- The same by UTC day, so that months of a user are read from days, and only the days at a month's edge from buckets.
CREATE TABLE user_days (
    user_id         uuid NOT NULL,
    day             timestamptz NOT NULL,
    impressions     bigint NOT NULL,
    clicks          bigint NOT NULL,
    charged_micros  bigint NOT NULL,
    revenue_micros  bigint NOT NULL,
    invested_minor  bigint NOT NULL,
    delivery_orders bigint NOT NULL,
    PRIMARY KEY (user_id, day)
);
CREATE TABLE user_totals (
    user_id         uuid PRIMARY KEY,
    impressions     bigint NOT NULL DEFAULT 0,
    clicks          bigint NOT NULL DEFAULT 0,
    charged_micros  bigint NOT NULL DEFAULT 0,
    revenue_micros  bigint NOT NULL DEFAULT 0,
    invested_minor  bigint NOT NULL DEFAULT 0,
    delivery_orders bigint NOT NULL DEFAULT 0,
    -- The first put or report.
    first_at        timestamptz
);
