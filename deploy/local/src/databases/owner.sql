-- The roles of a service's database, and whose its tables are. A superuser runs it in that database, in one transaction, with
-- SERVICE replaced by the service's name (docs/migrations.md). It can be run again at any time.
--
--   adfolio_SERVICE_owner    owns the database and everything in it; nobody logs in as it
--   adfolio_SERVICE_migrate  may become the owner, to migrate
--   adfolio_SERVICE          serves, with the rights that the migration grants
--
-- Where adfolio_SERVICE owned everything, it becomes the owner by a new name, and another role takes its name and password.
-- That locks no table. Sessions that are open stay those of the owner until they end.
SET LOCAL lock_timeout = '2s';
DO $$
BEGIN
    IF to_regrole('adfolio_SERVICE_owner') IS NULL AND to_regrole('adfolio_SERVICE') IS NOT NULL THEN
        ALTER ROLE adfolio_SERVICE RENAME TO adfolio_SERVICE_owner;
        CREATE ROLE adfolio_SERVICE;
        EXECUTE format('ALTER ROLE adfolio_SERVICE PASSWORD %L',
                       (SELECT rolpassword FROM pg_authid WHERE rolname = 'adfolio_SERVICE_owner'));
    END IF;
    IF to_regrole('adfolio_SERVICE_owner') IS NULL THEN
        CREATE ROLE adfolio_SERVICE_owner;
    END IF;
    IF to_regrole('adfolio_SERVICE_migrate') IS NULL THEN
        CREATE ROLE adfolio_SERVICE_migrate;
    END IF;
    IF to_regrole('adfolio_SERVICE') IS NULL THEN
        CREATE ROLE adfolio_SERVICE;
    END IF;
END $$;
ALTER ROLE adfolio_SERVICE_owner NOLOGIN PASSWORD NULL;
ALTER ROLE adfolio_SERVICE_migrate LOGIN NOINHERIT;
ALTER ROLE adfolio_SERVICE LOGIN INHERIT;
GRANT adfolio_SERVICE_owner TO adfolio_SERVICE_migrate;
-- Until this is revoked, the login of the service still has every right of the owner.
GRANT adfolio_SERVICE_owner TO adfolio_SERVICE;
-- What programs of the release before made with that right.
REASSIGN OWNED BY adfolio_SERVICE TO adfolio_SERVICE_owner;
ALTER DATABASE adfolio_SERVICE OWNER TO adfolio_SERVICE_owner;
ALTER SCHEMA public OWNER TO pg_database_owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC, adfolio_SERVICE;
REVOKE ALL ON DATABASE adfolio_SERVICE FROM PUBLIC;
GRANT CONNECT ON DATABASE adfolio_SERVICE TO adfolio_SERVICE, adfolio_SERVICE_migrate;
