-- Supply: networks, their placements, what these cost and earn, and which of them a product may use.

-- The previous release writes none of the new columns of products, and its rows keep the constraints by the defaults.
-- squawk-ignore-file ban-new-write-restriction

CREATE TABLE networks (
    id                   uuid PRIMARY KEY,
    name                 text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    -- What its reports name. A network never changes it, because reports are kept under it.
    source               text NOT NULL CONSTRAINT networks_source UNIQUE CHECK (source ~ '^[a-z0-9_-]{1,64}$'),
    state                text NOT NULL CHECK (state IN ('active', 'paused')),
    is_simulated         boolean NOT NULL,
    report_delay_seconds integer NOT NULL CHECK (report_delay_seconds BETWEEN 0 AND 86400),
    created_at           timestamptz NOT NULL
);

-- The database has only digests: who reads it cannot report in a network's name.
CREATE TABLE network_keys (
    -- SHA-256 of the key, which has 256 random bits.
    digest     bytea PRIMARY KEY CHECK (length(digest) = 32),
    network_id uuid NOT NULL REFERENCES networks,
    -- Its last characters, to tell keys apart.
    hint       text NOT NULL CHECK (length(hint) = 4),
    issued_by  uuid NOT NULL,
    issued_at  timestamptz NOT NULL,
    expires_at timestamptz
);
CREATE INDEX network_keys_network ON network_keys (network_id, issued_at);

CREATE TABLE placements (
    id         uuid PRIMARY KEY,
    network_id uuid NOT NULL REFERENCES networks,
    name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    format     text NOT NULL CHECK (format ~ '^[a-z0-9_-]{1,32}$'),
    countries  text[] NOT NULL,
    systems    text[] NOT NULL,
    state      text NOT NULL CHECK (state IN ('active', 'paused')),
    created_at timestamptz NOT NULL,
    CONSTRAINT placements_name UNIQUE (network_id, name)
);

-- A price holds until the next one begins. Unconfirmed ones hold never.
CREATE TABLE placement_prices (
    placement_id   uuid NOT NULL REFERENCES placements,
    valid_from     timestamptz NOT NULL,
    model          text NOT NULL CHECK (model IN ('cpm', 'cpc')),
    -- Of a thousand impressions in whole millionths for each impression, so that no report has to round.
    cost_micros    bigint NOT NULL CHECK (cost_micros > 0 AND (model = 'cpc' OR cost_micros % 1000 = 0)),
    revenue_micros bigint NOT NULL CHECK (revenue_micros >= 0 AND (model = 'cpc' OR revenue_micros % 1000 = 0)),
    set_by         uuid NOT NULL,
    set_at         timestamptz NOT NULL,
    confirmed_by   uuid,
    confirmed_at   timestamptz,
    PRIMARY KEY (placement_id, valid_from),
    CONSTRAINT placement_prices_second_person CHECK (confirmed_by <> set_by),
    CONSTRAINT placement_prices_confirmed CHECK (confirmed_by IS NULL OR confirmed_at IS NOT NULL),
    CONSTRAINT placement_prices_in_time CHECK (confirmed_at <= valid_from)
);

-- A price changes only by being confirmed, once.
CREATE FUNCTION keep_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.confirmed_at IS NOT NULL
       OR (NEW.placement_id, NEW.valid_from, NEW.model, NEW.cost_micros, NEW.revenue_micros, NEW.set_by, NEW.set_at)
          IS DISTINCT FROM
          (OLD.placement_id, OLD.valid_from, OLD.model, OLD.cost_micros, OLD.revenue_micros, OLD.set_by, OLD.set_at) THEN
        RAISE EXCEPTION 'a price never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER placement_prices_kept BEFORE UPDATE ON placement_prices FOR EACH ROW EXECUTE FUNCTION keep_price();
CREATE TRIGGER placement_prices_stay BEFORE DELETE OR TRUNCATE ON placement_prices
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- No release before knows the table.
-- squawk-ignore ban-revoke
REVOKE DELETE, TRUNCATE ON placement_prices FROM PUBLIC, CURRENT_USER;

-- Constant defaults, so nothing is rewritten.
ALTER TABLE products
    ADD COLUMN goal text NOT NULL DEFAULT 'clicks',
    -- Empty for all.
    ADD COLUMN placement_ids uuid[] NOT NULL DEFAULT '{}',
    -- Empty texts stand for the product's name and pictures.
    ADD COLUMN creative_title text NOT NULL DEFAULT '',
    ADD COLUMN creative_picture_url text NOT NULL DEFAULT '',
    ADD COLUMN creative_destination_url text NOT NULL DEFAULT '',
    ADD CONSTRAINT products_goal CHECK (goal IN ('clicks', 'revenue')) NOT VALID;
-- squawk-ignore constraint-missing-not-valid
ALTER TABLE products VALIDATE CONSTRAINT products_goal;
