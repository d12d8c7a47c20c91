//! One database per service, each owned by its own role.

use anyhow::{Context as _, Result, bail};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};
use url::Url;

use crate::component::Service;

/// The PostgreSQL server of the databases.
#[derive(Clone, Debug)]
pub(crate) enum Home {
    /// The stack's own server, as its superuser: every service gets a role without access to other
    /// databases.
    Private(Url),
    /// A given server: its account owns all databases.
    Given(Url),
}

impl Home {
    /// URL of the server for an account that may create databases.
    pub(crate) fn base_url(&self) -> &Url {
        match self {
            Self::Private(url) | Self::Given(url) => url,
        }
    }

    /// URL of a service's database.
    pub(crate) fn url(&self, service: Service) -> Url {
        let mut url = self.base_url().clone();
        url.set_path(&service.database());
        if matches!(self, Self::Private(_)) {
            // Only a URL without a host refuses a user name.
            let _ = url.set_username(&service.database());
        }
        url
    }

    /// Creates the missing databases of these services; idempotent.
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

    /// Sets the password of each service's role, whatever it was before. Passwords are hexadecimal.
    pub(crate) async fn set_passwords(&self, passwords: &[(Service, String)]) -> Result<()> {
        let options =
            PgConnectOptions::from_url(self.base_url()).context("wrong database address")?;
        let mut connection = options.connect().await.context("cannot reach PostgreSQL")?;
        for (service, password) in passwords {
            if !password.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                bail!("the password of {service}'s database is not hexadecimal");
            }
            let role = service.database();
            let statement = format!("ALTER ROLE {role} PASSWORD '{password}'");
            execute(&mut connection, statement)
                .await
                .with_context(|| format!("cannot set the password of {role}"))?;
        }
        connection
            .close()
            .await
            .context("cannot close the connection to PostgreSQL")
    }

    async fn create_one(
        &self,
        connection: &mut PgConnection,
        service: Service,
    ) -> Result<(), sqlx::Error> {
        let name = service.database();
        let private = matches!(self, Self::Private(_));
        if private
            && !exists(
                connection,
                "SELECT 1 FROM pg_roles WHERE rolname = $1",
                &name,
            )
            .await?
        {
            execute(connection, format!("CREATE ROLE {name} LOGIN")).await?;
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
