-- A price holds from greatest(valid_from, confirmed_at) on, so that it can be confirmed at any time.

-- It refused a confirmation after valid_from. The release before writes none, and takes those of this release for what
-- they are: prices that hold.
-- squawk-ignore ban-drop-constraint
ALTER TABLE placement_prices DROP CONSTRAINT placement_prices_in_time;

-- Prices hold in the order of valid_from, so none begins before one that holds already. Setting and confirming hold
-- the placement's lock, so that no other price is confirmed meanwhile.
CREATE FUNCTION keep_order_of_prices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM placement_prices other
        WHERE other.placement_id = NEW.placement_id
          AND other.valid_from <> NEW.valid_from
          AND other.confirmed_at IS NOT NULL
          AND (other.valid_from > NEW.valid_from)
              <> (GREATEST(other.valid_from, other.confirmed_at) > GREATEST(NEW.valid_from, NEW.confirmed_at))
    ) THEN
        RAISE EXCEPTION 'a later price holds already' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER placement_prices_in_order BEFORE INSERT OR UPDATE ON placement_prices
    FOR EACH ROW WHEN (NEW.confirmed_at IS NOT NULL) EXECUTE FUNCTION keep_order_of_prices();
