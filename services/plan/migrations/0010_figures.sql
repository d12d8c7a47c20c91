-- Figures that are sums over a user's plans.

-- Millionths of a unit as minor units, rounded half to even, as each posting to the ledger rounds a plan's running total: so
-- a sum over plans is the sum that wallet has. Only for numbers from 0 on.
CREATE FUNCTION minor_of(micros bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT micros / 10000 + CASE
        WHEN micros % 10000 > 5000 THEN 1
        WHEN micros % 10000 = 5000 THEN micros / 10000 % 2
        ELSE 0
    END
$$;
