//! One database per service, each owned by its own role, which logs in with a password.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;

use anyhow::{Context as _, Result, ensure};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};
use url::Url;

use crate::component::Service;
use crate::layout::Layout;
use crate::ports::loopback;

/// The superuser's name.
pub(crate) const SUPERUSER: &str = "postgres";

/// The secret with the password of a role.
pub(crate) fn secret_name(role: &str) -> String {
    format!("database-{role}")
}

/// The PostgreSQL server of the databases.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// The stack's own server: every service gets a role without access to other databases.
    Private {
        /// As the superuser.
        url: Url,
        /// In hex.
        passwords: BTreeMap<Service, String>,
    },
    /// A given server: its account owns all databases.
    Given(Url),
}

impl Home {
    /// A data directory's own server. Its passwords are made once.
    pub(crate) fn private(layout: &Layout, port: u16) -> Result<Self> {
        let password = |role: &str| -> Result<String> {
            let file = layout.random_secret(&secret_name(role))?;
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
        };
        let superuser = password(SUPERUSER)?;
        let address = loopback(port);
        let url = format!("postgres://{SUPERUSER}:{superuser}@{address}/postgres");
        let mut passwords = BTreeMap::new();
        for service in Service::ALL.into_iter().filter(|one| one.has_database()) {
            passwords.insert(service, password(&service.database())?);
        }
        Ok(Self::Private {
            url: url.parse()?,
            passwords,
        })
    }

    /// URL of the server for an account that may create databases.
    pub(crate) fn base_url(&self) -> &Url {
        match self {
            Self::Private { url, .. } | Self::Given(url) => url,
        }
    }

    /// URL of a service's database; `through` is another address of the private server.
    pub(crate) fn url(&self, service: Service, through: Option<SocketAddr>) -> Url {
        let mut url = self.base_url().clone();
        url.set_path(&service.database());
        let Self::Private { passwords, .. } = self else {
            return url;
        };
        // Only a URL without a host refuses these.
        let _ = url.set_username(&service.database());
        let _ = url.set_password(passwords.get(&service).map(String::as_str));
        if let Some(address) = through {
            let _ = url.set_ip_host(address.ip());
            let _ = url.set_port(Some(address.port()));
        }
        url
    }

    /// Creates the missing databases of these services, and sets the passwords of their roles; idempotent.
    pub(crate) async fn create(&self, services: &[Service]) -> Result<()> {
        let options =
            PgConnectOptions::from_url(self.base_url()).context("wrong database address")?;
        let mut connection = options.connect().await.context("cannot reach PostgreSQL")?;
        for service in services.iter().filter(|service| service.has_database()) {
            self.create_one(&mut connection, *service)
                .await
                .with_context(|| format!("cannot create the database of {service}"))?;
        }
        connection
            .close()
            .await
            .context("cannot close the connection to PostgreSQL")
    }

    async fn create_one(&self, connection: &mut PgConnection, service: Service) -> Result<()> {
        let name = service.database();
        let private = matches!(self, Self::Private { .. });
        if let Self::Private { passwords, .. } = self {
            const ROLE: &str = "SELECT 1 FROM pg_roles WHERE rolname = $1";
            if !exists(connection, ROLE, &name).await? {
                execute(connection, format!("CREATE ROLE {name} LOGIN")).await?;
            }
            let password = passwords.get(&service).context("it has no password")?;
            alter_password(connection, &name, password).await?;
        }
        if !exists(
            connection,
            "SELECT 1 FROM pg_database WHERE datname = $1",
            &name,
        )
        .await?
        {
            let owner = if private {
                // Not as in the server's template: UTF-8 text, ordered by bytes.
                format!(" OWNER {name} ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0")
            } else {
                String::new()
            };
            execute(connection, format!("CREATE DATABASE {name}{owner}")).await?;
        }
        if private {
            execute(
                connection,
                format!("REVOKE CONNECT ON DATABASE {name} FROM PUBLIC"),
            )
            .await?;
        }
        Ok(())
    }
}

/// Sets the password of a role, whatever it was before.
pub(crate) async fn set_password(url: &Url, role: &str, password: &str) -> Result<()> {
    let options = PgConnectOptions::from_url(url).context("wrong database address")?;
    let mut connection = options.connect().await.context("cannot reach PostgreSQL")?;
    alter_password(&mut connection, role, password).await?;
    connection
        .close()
        .await
        .context("cannot close the connection to PostgreSQL")
}

async fn alter_password(connection: &mut PgConnection, role: &str, password: &str) -> Result<()> {
    ensure!(
        password.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "the password of {role} is not hexadecimal"
    );
    let statement = format!("ALTER ROLE {role} PASSWORD '{password}'");
    execute(connection, statement)
        .await
        .with_context(|| format!("cannot set the password of {role}"))
}

async fn exists(
    connection: &mut PgConnection,
    query: &'static str,
    name: &str,
) -> Result<bool, sqlx::Error> {
    Ok(sqlx::query(query)
        .bind(name)
        .fetch_optional(connection)
        .await?
        .is_some())
}

/// Names cannot be bound in these statements; ours consist of letters and underscores.
async fn execute(connection: &mut PgConnection, statement: String) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(connection)
        .await?;
    Ok(())
}
