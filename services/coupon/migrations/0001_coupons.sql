-- What staff offer. A campaign never changes once it is made, so its coupons carry copies of what they are worth.
CREATE TABLE campaigns (
    id                       uuid PRIMARY KEY,
    name                     text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    -- The name by which "one coupon of the same name a day" compares: lower case, blanks folded.
    name_key                 text NOT NULL,
    type                     text NOT NULL CHECK (type IN ('increment', 'deduction', 'team', 'custom', 'fixed_amount')),
    mode                     text NOT NULL CHECK (mode IN ('discount', 'deduction', 'addition')),
    value_minor              bigint NOT NULL CHECK (value_minor >= 0),
    value_basis_points       integer NOT NULL CHECK (value_basis_points BETWEEN 0 AND 10000),
    amount_requirement_minor bigint NOT NULL CHECK (amount_requirement_minor >= 0),
    kind                     text NOT NULL CHECK (kind IN ('new_user', 'periodic', 'staff')),
    valid_days               integer NOT NULL CHECK (valid_days BETWEEN 1 AND 3650),
    starts_at                timestamptz,
    ends_at                  timestamptz CHECK (ends_at > starts_at),
    created_at               timestamptz NOT NULL,
    created_by               uuid NOT NULL,
    CHECK ((mode = 'discount') = (value_basis_points > 0)),
    CHECK ((mode = 'discount') = (value_minor = 0))
);
-- What is open to users now.
CREATE INDEX campaigns_claimable ON campaigns (ends_at) WHERE kind <> 'staff';

-- How many coupons a campaign has given out, cut into parts: a claim locks one part for its last statements and takes
-- one that nobody else has locked, so claims of one campaign do not queue up behind a single row.
CREATE TABLE campaign_stock (
    campaign_id uuid NOT NULL REFERENCES campaigns (id),
    part        smallint NOT NULL CHECK (part >= 0),
    -- NULL: no limit.
    capacity    bigint CHECK (capacity > 0),
    claimed     bigint NOT NULL DEFAULT 0 CHECK (claimed >= 0),
    PRIMARY KEY (campaign_id, part),
    CONSTRAINT campaign_stock_capacity CHECK (claimed <= capacity)
);

-- Coupons of users. 'expired' is written by a sweeper; whoever reads takes an unused coupon past its time for expired.
CREATE TABLE coupons (
    id                       uuid PRIMARY KEY,
    user_id                  uuid NOT NULL,
    campaign_id              uuid NOT NULL REFERENCES campaigns (id),
    name                     text NOT NULL,
    name_key                 text NOT NULL,
    type                     text NOT NULL,
    mode                     text NOT NULL CHECK (mode IN ('discount', 'deduction', 'addition')),
    value_minor              bigint NOT NULL CHECK (value_minor >= 0),
    value_basis_points       integer NOT NULL CHECK (value_basis_points BETWEEN 0 AND 10000),
    amount_requirement_minor bigint NOT NULL CHECK (amount_requirement_minor >= 0),
    source                   text NOT NULL CHECK (source IN ('new_user', 'periodic', 'staff')),
    state                    text NOT NULL DEFAULT 'unused' CHECK (state IN ('unused', 'reserved', 'used', 'expired')),
    claimed_at               timestamptz NOT NULL,
    -- The day of the claim in the user's time zone.
    claimed_on               date NOT NULL,
    expires_at               timestamptz NOT NULL,
    order_id                 uuid,
    used_at                  timestamptz,
    CHECK ((state IN ('reserved', 'used')) = (order_id IS NOT NULL)),
    CHECK ((state = 'used') = (used_at IS NOT NULL))
);
-- The two rules of claiming; the races are decided here and nowhere else.
CREATE UNIQUE INDEX coupons_new_user_once ON coupons (user_id) WHERE source = 'new_user';
CREATE UNIQUE INDEX coupons_name_once_a_day ON coupons (user_id, name_key, claimed_on) WHERE source = 'periodic';
CREATE INDEX coupons_of_user ON coupons (user_id, id);
CREATE INDEX coupons_usable ON coupons (user_id, expires_at) WHERE state = 'unused';
CREATE INDEX coupons_expiring ON coupons (expires_at) WHERE state = 'unused';

-- The coupon's part in an order: one row per order, for ever. A row without a coupon closes an order that was undone
-- before it had reserved, so that a late reservation finds it closed.
CREATE TABLE reservations (
    order_id       uuid PRIMARY KEY,
    user_id        uuid NOT NULL,
    coupon_id      uuid REFERENCES coupons (id),
    state          text NOT NULL CHECK (state IN ('reserved', 'redeemed', 'released')),
    amount_minor   bigint NOT NULL CHECK (amount_minor >= 0),
    discount_minor bigint NOT NULL CHECK (discount_minor >= 0),
    created_at     timestamptz NOT NULL,
    updated_at     timestamptz NOT NULL,
    CHECK (coupon_id IS NOT NULL OR state = 'released')
);
-- A coupon serves one order at a time.
CREATE UNIQUE INDEX reservations_coupon_once ON reservations (coupon_id) WHERE state <> 'released';
-- Reconciliation sums what coupons cost without touching the table.
CREATE INDEX reservations_cost ON reservations (state) INCLUDE (discount_minor) WHERE state <> 'released';
