-- The parts of the outbox are made and dropped while a service runs, but its tables belong to another role. These functions
-- run with the rights of that role, and do nothing else. Their search path is fixed, so that a caller's own objects never
-- stand for the ones named here. Replicas of the release before use none of them.

CREATE FUNCTION lock_outbox() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE;
END $$;

CREATE FUNCTION make_outbox_part(hour timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF hour <> date_trunc('hour', hour, 'UTC') THEN
        RAISE EXCEPTION 'a part is that of a whole hour' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('CREATE TABLE %I PARTITION OF outbox FOR VALUES FROM (%L) TO (%L)',
                   to_char(hour AT TIME ZONE 'UTC', '"outbox_"YYYYMMDDHH24'), hour, hour + interval '1 hour');
END $$;

CREATE FUNCTION drop_outbox_part(hour timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF hour + interval '1 hour' > clock_timestamp() THEN
        RAISE EXCEPTION 'the hour of this part has not ended' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('DROP TABLE %I', to_char(hour AT TIME ZONE 'UTC', '"outbox_"YYYYMMDDHH24'));
END $$;

-- Only for the service, which is granted them together with its tables.
-- squawk-ignore ban-revoke
REVOKE EXECUTE ON FUNCTION lock_outbox(), make_outbox_part(timestamptz), drop_outbox_part(timestamptz) FROM PUBLIC;
