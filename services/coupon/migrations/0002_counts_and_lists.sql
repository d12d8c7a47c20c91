-- The list that a coupon stands in, as long as time has not moved it on: a reservation does not show.
ALTER TABLE coupons ADD COLUMN listed_as text NOT NULL
    GENERATED ALWAYS AS (CASE state WHEN 'reserved' THEN 'unused' ELSE state END) STORED;
-- One range per list, so that its first and its last page cost the same.
CREATE INDEX coupons_of_user_by_list ON coupons (user_id, listed_as, id);

-- How many coupons a user has in each list. Kept by the database itself, so no writer can forget it. What is past its time
-- and not marked yet is counted apart when it is read: there is never much of it.
CREATE TABLE coupon_counts (
    user_id uuid PRIMARY KEY,
    unused  bigint NOT NULL CHECK (unused >= 0),
    used    bigint NOT NULL CHECK (used >= 0),
    expired bigint NOT NULL CHECK (expired >= 0)
);

-- One statement brings each user's row up to date once, in the order of their ids: two sweepers that mark coupons of the same
-- users cannot block each other for ever.
CREATE FUNCTION count_new_coupons() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO coupon_counts AS counts (user_id, unused, used, expired)
    SELECT user_id, count(*) FILTER (WHERE listed_as = 'unused'), count(*) FILTER (WHERE listed_as = 'used'),
           count(*) FILTER (WHERE listed_as = 'expired')
    FROM new_coupons GROUP BY user_id ORDER BY user_id
    ON CONFLICT (user_id) DO UPDATE SET unused = counts.unused + excluded.unused, used = counts.used + excluded.used,
                                        expired = counts.expired + excluded.expired;
    RETURN NULL;
END $$;

CREATE FUNCTION count_moved_coupons() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change record;
BEGIN
    FOR change IN
        SELECT user_id,
               count(*) FILTER (WHERE now_in = 'unused') - count(*) FILTER (WHERE was_in = 'unused') AS unused,
               count(*) FILTER (WHERE now_in = 'used') - count(*) FILTER (WHERE was_in = 'used') AS used,
               count(*) FILTER (WHERE now_in = 'expired') - count(*) FILTER (WHERE was_in = 'expired') AS expired
        FROM (SELECT new_coupons.user_id, old_coupons.listed_as AS was_in, new_coupons.listed_as AS now_in
              FROM new_coupons JOIN old_coupons USING (id)
              WHERE new_coupons.listed_as <> old_coupons.listed_as) AS moved
        GROUP BY user_id ORDER BY user_id
    LOOP
        UPDATE coupon_counts SET unused = coupon_counts.unused + change.unused, used = coupon_counts.used + change.used,
                                 expired = coupon_counts.expired + change.expired
        WHERE user_id = change.user_id;
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER coupons_counted_when_new AFTER INSERT ON coupons
    REFERENCING NEW TABLE AS new_coupons FOR EACH STATEMENT EXECUTE FUNCTION count_new_coupons();
CREATE TRIGGER coupons_counted_when_moved AFTER UPDATE ON coupons
    REFERENCING OLD TABLE AS old_coupons NEW TABLE AS new_coupons FOR EACH STATEMENT EXECUTE FUNCTION count_moved_coupons();

-- The triggers hold back every writer until this commits, so nothing is missed and nothing counted twice.
INSERT INTO coupon_counts (user_id, unused, used, expired)
SELECT user_id, count(*) FILTER (WHERE listed_as = 'unused'), count(*) FILTER (WHERE listed_as = 'used'),
       count(*) FILTER (WHERE listed_as = 'expired')
FROM coupons GROUP BY user_id;
