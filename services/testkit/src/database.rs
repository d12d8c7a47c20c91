//! A database per test, copied from a template that is migrated once.

use std::net::SocketAddr;
use std::time::Duration;

use adfolio_kit::config::DatabaseArgs;
use adfolio_kit::db::{self, Logins, Schema};
use adfolio_kit::latch::Latch;
use sha2::{Digest, Sha256};
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, PgPool};
use uuid::Uuid;

/// Serialises the creation of templates between test processes.
const TEMPLATE_LOCK: i64 = 0x7465_7374_6b69;

/// How often a copy retries while the template is in use.
const COPY_ATTEMPTS: u32 = 100;

/// Connections of a test's own pool.
const TEST_CONNECTIONS: u32 = 16;

/// The role that owns the tables of all test databases. Nobody logs in as it.
pub const OWNER: &str = "adfolio_test_owner";

/// The login that migrates them.
pub const MIGRATOR: &str = "adfolio_test_migrate";

/// The login of services under test, with the rights that they have everywhere.
pub const SERVICE: &str = "adfolio_test";

/// Of both logins. A server of `adfolio-local with-servers` asks for none.
const PASSWORD: &str = "adfolio_test";

/// As in every installation: one owns, one migrates, one serves.
const ROLES: &str = "
    DO $$ BEGIN
        IF to_regrole('adfolio_test_owner') IS NULL THEN
            CREATE ROLE adfolio_test_owner NOLOGIN;
        END IF;
        IF to_regrole('adfolio_test_migrate') IS NULL THEN
            CREATE ROLE adfolio_test_migrate LOGIN NOINHERIT PASSWORD 'adfolio_test';
        END IF;
        IF to_regrole('adfolio_test') IS NULL THEN
            CREATE ROLE adfolio_test LOGIN PASSWORD 'adfolio_test';
        END IF;
    END $$;
    GRANT adfolio_test_owner TO adfolio_test_migrate;";

/// Tables that a test makes as the superuser are for the services that it tests, too.
const TABLES_OF_TESTS: &str = "
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO adfolio_test;
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, USAGE ON SEQUENCES TO adfolio_test;";

/// kit's tables alone.
static KIT: Schema = Schema {
    migrator: Migrator::DEFAULT,
    rights: &[],
};

/// A fresh database with its schema, dropped with this value. Its tables belong to [`OWNER`];
/// services use it as [`SERVICE`], and tests as the superuser.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    url: String,
    pool: PgPool,
}

impl TestDatabase {
    /// A database with kit's schema alone.
    pub async fn of_kit() -> Self {
        Self::create(&KIT).await
    }

    /// A database with kit's schema and a service's.
    pub async fn create(schema: &Schema) -> Self {
        let template = template_name(schema);
        let mut admin = admin().await;
        ensure_template(&mut admin, &template, schema).await;
        let name = format!("test_{}", Uuid::now_v7().simple());
        copy(&mut admin, &template, &name).await;
        let _ = admin.close().await;
        let options = base_options().database(&name);
        let url = url_of(&name);
        let pool = PgPoolOptions::new()
            .max_connections(TEST_CONNECTIONS)
            .acquire_timeout(Duration::from_secs(20))
            .connect_with(options)
            .await
            .expect("connect to the test database");
        Self { name, url, pool }
    }

    /// The test's own pool, of the superuser.
    pub fn pool(&self) -> PgPool {
        self.pool.clone()
    }

    /// The database's URL for the superuser.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The database's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Configuration of a service that uses this database.
    pub fn args(&self) -> DatabaseArgs {
        service_args(login(&self.name, SERVICE))
    }

    /// Configuration of a service that also migrates this database.
    pub fn migrating_args(&self) -> DatabaseArgs {
        migrating_args(&self.name)
    }

    /// The URL of another login's session.
    pub fn url_as(&self, role: &str) -> String {
        login(&self.name, role)
    }

    /// The address of its server, for a [`crate::Proxy`].
    pub fn address(&self) -> String {
        let options = base_options();
        format!("{}:{}", options.get_host(), options.get_port())
    }

    /// Configuration of a service that reaches this database at another address, such as a
    /// [`crate::Proxy`]'s.
    pub fn args_at(&self, address: SocketAddr) -> DatabaseArgs {
        let options = login_options(&self.name, SERVICE)
            .host(&address.ip().to_string())
            .port(address.port());
        DatabaseArgs::for_url(options.to_url_lossy().to_string())
    }

    /// A pool with kit's own settings, as services have it.
    pub fn kit_pool(&self) -> db::Pool {
        db::connect(&self.args(), "test").expect("a valid URL")
    }

    /// An open latch: the schema is current.
    pub fn migrated(&self) -> Latch {
        Latch::opened()
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let name = self.name.clone();
        // Drop is not async and may run inside a runtime: a thread with a small runtime of its own
        // does the work.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            if let Ok(runtime) = runtime {
                runtime.block_on(async {
                    let mut admin = admin().await;
                    let _ = run(
                        &mut admin,
                        format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)"),
                    )
                    .await;
                });
            }
        });
        let _ = dropping.join();
    }
}

fn server_url() -> String {
    std::env::var("DATABASE_URL").expect("DATABASE_URL names the PostgreSQL that tests use")
}

fn base_options() -> PgConnectOptions {
    server_url()
        .parse()
        .expect("DATABASE_URL is a PostgreSQL URL")
}

/// The server's URL with another database in its path.
fn url_of(name: &str) -> String {
    base_options().database(name).to_url_lossy().to_string()
}

/// The server's URL with another database and login.
fn login(database: &str, role: &str) -> String {
    login_options(database, role).to_url_lossy().to_string()
}

fn login_options(database: &str, role: &str) -> PgConnectOptions {
    base_options()
        .database(database)
        .username(role)
        .password(PASSWORD)
}

fn migrating_args(database: &str) -> DatabaseArgs {
    DatabaseArgs {
        database_migration_url: Some(login(database, MIGRATOR).into()),
        ..service_args(login(database, SERVICE))
    }
}

/// A call waits for a connection as long as its deadline allows: with the limit of production, two
/// hundred callers of one row would find out how fast the machine is.
fn service_args(url: String) -> DatabaseArgs {
    DatabaseArgs {
        database_acquire_timeout_ms: 20_000,
        ..DatabaseArgs::for_url(url)
    }
}

async fn admin() -> PgConnection {
    base_options()
        .connect()
        .await
        .expect("connect to DATABASE_URL")
}

async fn run(connection: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(connection)
        .await
        .map(|_| ())
}

/// Names depend on the content of migrations and rights, so a template never has an old schema.
fn template_name(schema: &Schema) -> String {
    let mut hash = Sha256::new();
    for migrator in [&db::MIGRATOR, &schema.migrator] {
        for migration in migrator.iter() {
            hash.update(migration.version.to_le_bytes());
            hash.update(&migration.checksum);
        }
    }
    hash.update(format!("{:?} {:?}", db::KIT_RIGHTS, schema.rights));
    let digest = hex::encode(hash.finalize());
    format!("test_template_{}", &digest[..16])
}

async fn ensure_template(admin: &mut PgConnection, template: &str, schema: &Schema) {
    if is_template(admin, template).await {
        return;
    }
    lock(admin).await;
    if !is_template(admin, template).await {
        run(admin, ROLES.to_owned())
            .await
            .expect("create the roles");
        run(
            admin,
            format!("DROP DATABASE IF EXISTS \"{template}\" WITH (FORCE)"),
        )
        .await
        .expect("drop a broken template");
        run(
            admin,
            format!("CREATE DATABASE \"{template}\" OWNER {OWNER}"),
        )
        .await
        .expect("create the template");
        let logins = Logins::of(&migrating_args(template), "template").expect("valid URLs");
        db::migrate(&logins, schema)
            .await
            .expect("migrate the template");
        let mut connection = base_options()
            .database(template)
            .connect()
            .await
            .expect("connect to the template");
        run(&mut connection, TABLES_OF_TESTS.to_owned())
            .await
            .expect("prepare for the tables of tests");
        connection.close().await.expect("close the template");
        // Only now is it complete: a process that died earlier leaves a database that is no
        // template.
        run(
            admin,
            format!("ALTER DATABASE \"{template}\" WITH IS_TEMPLATE true ALLOW_CONNECTIONS false"),
        )
        .await
        .expect("mark the template");
    }
    sqlx::query("SELECT pg_advisory_unlock($1)")
        .bind(TEMPLATE_LOCK)
        .execute(admin)
        .await
        .expect("unlock");
}

/// Polled, because a session that waits inside PostgreSQL counts as a statement that `CREATE
/// DATABASE` may wait for.
async fn lock(admin: &mut PgConnection) {
    loop {
        let taken: bool = sqlx::query_scalar("SELECT pg_try_advisory_lock($1)")
            .bind(TEMPLATE_LOCK)
            .fetch_one(&mut *admin)
            .await
            .expect("lock");
        if taken {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn is_template(admin: &mut PgConnection, name: &str) -> bool {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate)",
    )
    .bind(name)
    .fetch_one(admin)
    .await
    .expect("look for the template")
}

async fn copy(admin: &mut PgConnection, template: &str, name: &str) {
    for _ in 0..COPY_ATTEMPTS {
        match run(
            admin,
            format!("CREATE DATABASE \"{name}\" TEMPLATE \"{template}\" OWNER {OWNER}"),
        )
        .await
        {
            Ok(()) => return,
            // Another copy of the same template is being made.
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("55006") => {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Err(error) => panic!("create the test database: {error}"),
        }
    }
    panic!("the template stayed in use");
}
