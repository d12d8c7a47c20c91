-- What campaigns have cost so far. Kept by the database itself, so no writer can forget it, nor does the release before. A
-- campaign's row is cut into parts, by coupon: redemptions of one campaign do not queue up behind a single row.
CREATE TABLE campaign_costs (
    campaign_id    uuid NOT NULL REFERENCES campaigns (id),
    part           smallint NOT NULL CHECK (part BETWEEN 0 AND 15),
    -- Coupons that are used; one that came back is not.
    redeemed       bigint NOT NULL DEFAULT 0 CHECK (redeemed >= 0),
    -- What they cost.
    redeemed_minor bigint NOT NULL DEFAULT 0 CHECK (redeemed_minor >= 0),
    -- Coupons that expired unused.
    expired        bigint NOT NULL DEFAULT 0 CHECK (expired >= 0),
    PRIMARY KEY (campaign_id, part)
);

-- The part of a coupon: the end of its id is random.
CREATE FUNCTION cost_part(coupon_id uuid) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (get_byte(uuid_send(coupon_id), 15) % 16)::smallint;

-- One statement brings each part up to date once, in one order: two sweepers that mark coupons of the same campaigns cannot
-- block each other for ever. A user's counts come before: triggers run in the order of their names.
CREATE FUNCTION count_campaign_coupons() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change record;
BEGIN
    FOR change IN
        SELECT campaign_id, part,
               count(*) FILTER (WHERE now_in = 'used') - count(*) FILTER (WHERE was_in = 'used') AS redeemed,
               count(*) FILTER (WHERE now_in = 'expired') - count(*) FILTER (WHERE was_in = 'expired') AS expired
        FROM (SELECT new_coupons.campaign_id, cost_part(new_coupons.id) AS part,
                     old_coupons.state AS was_in, new_coupons.state AS now_in
              FROM new_coupons JOIN old_coupons USING (id)
              WHERE new_coupons.state <> old_coupons.state
                AND (new_coupons.state IN ('used', 'expired') OR old_coupons.state IN ('used', 'expired'))) AS moved
        GROUP BY campaign_id, part ORDER BY campaign_id, part
    LOOP
        INSERT INTO campaign_costs (campaign_id, part) VALUES (change.campaign_id, change.part) ON CONFLICT DO NOTHING;
        UPDATE campaign_costs SET redeemed = campaign_costs.redeemed + change.redeemed,
                                  expired = campaign_costs.expired + change.expired
        WHERE campaign_id = change.campaign_id AND part = change.part;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER coupons_counted_with_campaign AFTER UPDATE ON coupons
    REFERENCING OLD TABLE AS old_coupons NEW TABLE AS new_coupons
    FOR EACH STATEMENT EXECUTE FUNCTION count_campaign_coupons();

-- What a redemption costs is known to the reservation. A transaction changes one.
CREATE FUNCTION count_campaign_cost() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change bigint := CASE WHEN NEW.state = 'redeemed' THEN NEW.discount_minor ELSE 0 END
                     - CASE WHEN OLD.state = 'redeemed' THEN OLD.discount_minor ELSE 0 END;
BEGIN
    INSERT INTO campaign_costs (campaign_id, part)
    SELECT campaign_id, cost_part(id) FROM coupons WHERE id = NEW.coupon_id ON CONFLICT DO NOTHING;
    UPDATE campaign_costs SET redeemed_minor = redeemed_minor + change
    WHERE campaign_id = (SELECT campaign_id FROM coupons WHERE id = NEW.coupon_id) AND part = cost_part(NEW.coupon_id);
    RETURN NULL;
END $$;
CREATE TRIGGER reservations_counted_with_campaign AFTER UPDATE ON reservations
    FOR EACH ROW WHEN (NEW.coupon_id IS NOT NULL AND OLD.state <> NEW.state
                       AND (OLD.state = 'redeemed' OR NEW.state = 'redeemed'))
    EXECUTE FUNCTION count_campaign_cost();

-- The triggers hold back every writer until this commits, so nothing is missed and nothing counted twice.
INSERT INTO campaign_costs (campaign_id, part, redeemed, redeemed_minor, expired)
SELECT coupons.campaign_id, cost_part(coupons.id), count(*) FILTER (WHERE coupons.state = 'used'),
       coalesce(sum(reservations.discount_minor), 0)::bigint, count(*) FILTER (WHERE coupons.state = 'expired')
FROM coupons
LEFT JOIN reservations ON reservations.coupon_id = coupons.id AND reservations.state = 'redeemed'
WHERE coupons.state IN ('used', 'expired')
GROUP BY coupons.campaign_id, cost_part(coupons.id);
