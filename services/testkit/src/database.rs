//! A database per test, copied from a template that is migrated once.

use std::net::SocketAddr;
use std::time::Duration;

use adfolio_kit::config::DatabaseArgs;
use adfolio_kit::db;
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

/// A fresh database with its schema, dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    url: String,
    pool: PgPool,
}

impl TestDatabase {
    /// A database with kit's schema and those of `migrators` (if empty, kit's alone).
    pub async fn create(migrators: &[&Migrator]) -> Self {
        let template = template_name(migrators);
        let mut admin = admin().await;
        ensure_template(&mut admin, &template, migrators).await;
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

    /// The test's own pool, separate from the service's.
    pub fn pool(&self) -> PgPool {
        self.pool.clone()
    }

    /// The database's URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The database's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Configuration of a service that uses this database.
    pub fn args(&self) -> DatabaseArgs {
        DatabaseArgs::for_url(self.url.clone())
    }

    /// The address of its server, for a [`crate::Proxy`].
    pub fn address(&self) -> String {
        let options = base_options();
        format!("{}:{}", options.get_host(), options.get_port())
    }

    /// Configuration of a service that reaches this database at another address, such as a
    /// [`crate::Proxy`]'s.
    pub fn args_at(&self, address: SocketAddr) -> DatabaseArgs {
        let options = base_options()
            .host(&address.ip().to_string())
            .port(address.port())
            .database(&self.name);
        DatabaseArgs::for_url(options.to_url_lossy().to_string())
    }

    /// A pool with kit's own settings, as services have it.
    pub fn kit_pool(&self) -> PgPool {
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

/// Names depend on the migrations' content, so a template never has an old schema.
fn template_name(migrators: &[&Migrator]) -> String {
    let mut hash = Sha256::new();
    for migrator in std::iter::once(&&db::MIGRATOR).chain(migrators) {
        for migration in migrator.iter() {
            hash.update(migration.version.to_le_bytes());
            hash.update(&migration.checksum);
        }
    }
    let digest = hex::encode(hash.finalize());
    format!("test_template_{}", &digest[..16])
}

async fn ensure_template(admin: &mut PgConnection, template: &str, migrators: &[&Migrator]) {
    if is_template(admin, template).await {
        return;
    }
    lock(admin).await;
    if !is_template(admin, template).await {
        run(
            admin,
            format!("DROP DATABASE IF EXISTS \"{template}\" WITH (FORCE)"),
        )
        .await
        .expect("drop a broken template");
        run(admin, format!("CREATE DATABASE \"{template}\""))
            .await
            .expect("create the template");
        let mut connection = base_options()
            .database(template)
            .connect()
            .await
            .expect("connect to the template");
        for migrator in std::iter::once(&&db::MIGRATOR).chain(migrators) {
            migrator
                .run_direct(None, &mut connection, false)
                .await
                .expect("migrate the template");
        }
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
            format!("CREATE DATABASE \"{name}\" TEMPLATE \"{template}\""),
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
