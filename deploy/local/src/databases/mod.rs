//! One database per service, with three roles: one owns it, one migrates it, and one serves. The latter two log in with
//! passwords.

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

/// The roles of a service's database, and whose its tables are.
const OWNER: &str = include_str!("owner.sql");

/// What the name of a service stands for in it.
const PLACEHOLDER: &str = "SERVICE";

const DATABASE: &str = "SELECT 1 FROM pg_database WHERE datname = $1";

/// The login that migrates the database of a service.
pub(crate) fn migrator(service: Service) -> String {
    format!("{}_migrate", service.database())
}

fn owner(service: Service) -> String {
    format!("{}_owner", service.database())
}

/// The passwords of a database's logins, in hex.
#[derive(Clone, Debug)]
pub(crate) struct Passwords {
    /// Of the one that serves.
    pub(crate) serving: String,
    /// Of the one that migrates.
    pub(crate) migrating: String,
}

/// Whose the tables of the services are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tables {
    /// An owner's that nobody logs in as.
    #[default]
    OfOwner,
    /// The service's own, as in the release before.
    OfService,
}

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
        passwords: BTreeMap<Service, Passwords>,
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
            let both = Passwords {
                serving: password(&service.database())?,
                migrating: password(&migrator(service))?,
            };
            passwords.insert(service, both);
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

    /// URL of a service's database, for the login that serves; `through` are other addresses of the private server, or of
    /// those that one of them is the primary of.
    pub(crate) fn url(&self, service: Service, through: &[SocketAddr]) -> String {
        let Self::Private { passwords, .. } = self else {
            return self.superuser_url(service).into();
        };
        let password = passwords.get(&service).map(|both| both.serving.as_str());
        let url = self.login(service, &service.database(), password);
        if through.is_empty() {
            return url.into();
        }
        let hosts: Vec<_> = through.iter().map(SocketAddr::to_string).collect();
        // The type of URLs knows one host.
        format!(
            "{}://{}:{}@{}{}",
            url.scheme(),
            url.username(),
            url.password().unwrap_or_default(),
            hosts.join(","),
            url.path()
        )
    }

    /// URL of a service's database, for the login that migrates; none on a given server, whose account does.
    pub(crate) fn migration_url(&self, service: Service) -> Option<Url> {
        let Self::Private { passwords, .. } = self else {
            return None;
        };
        let password = passwords.get(&service)?.migrating.as_str();
        Some(self.login(service, &migrator(service), Some(password)))
    }

    /// URL of a service's database, for an account that may do everything.
    pub(crate) fn superuser_url(&self, service: Service) -> Url {
        let mut url = self.base_url().clone();
        url.set_path(&service.database());
        url
    }

    fn login(&self, service: Service, role: &str, password: Option<&str>) -> Url {
        let mut url = self.superuser_url(service);
        // Only a URL without a host refuses these.
        let _ = url.set_username(role);
        let _ = url.set_password(password);
        url
    }

    /// Creates the missing databases of these services and their roles, moves tables over that a service's login owned, and
    /// sets passwords; idempotent, and may be interrupted anywhere.
    pub(crate) async fn create(&self, services: &[Service], tables: Tables) -> Result<()> {
        let mut connection = connect(self.base_url()).await?;
        for service in services.iter().filter(|service| service.has_database()) {
            self.create_one(&mut connection, *service, tables)
                .await
                .with_context(|| format!("cannot create the database of {service}"))?;
        }
        close(connection).await
    }

    async fn create_one(
        &self,
        connection: &mut PgConnection,
        service: Service,
        tables: Tables,
    ) -> Result<()> {
        let name = service.database();
        let Self::Private { passwords, .. } = self else {
            if !exists(connection, DATABASE, &name).await? {
                execute(connection, format!("CREATE DATABASE {name}")).await?;
            }
            return Ok(());
        };
        let passwords = passwords.get(&service).context("it has no password")?;
        let is_new = !exists(connection, DATABASE, &name).await?;
        if is_new {
            // Not as in the server's template: UTF-8 text, ordered by bytes.
            let format = "ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0";
            execute(connection, format!("CREATE DATABASE {name} {format}")).await?;
        }
        match tables {
            Tables::OfOwner => {
                self.hand_over(service).await?;
                self.end_ownership(service).await
            }
            Tables::OfService if is_new => {
                let statements = format!(
                    "CREATE ROLE {name} LOGIN; ALTER DATABASE {name} OWNER TO {name};
                     REVOKE CONNECT ON DATABASE {name} FROM PUBLIC"
                );
                execute(connection, statements).await?;
                alter_password(connection, &name, &passwords.serving).await
            }
            Tables::OfService => Ok(()),
        }
    }

    /// Gives a database to its owner, as a whole or not at all, and sets the passwords of its logins. The service's login
    /// keeps all rights.
    pub(crate) async fn hand_over(&self, service: Service) -> Result<()> {
        let Self::Private { passwords, .. } = self else {
            return Ok(());
        };
        let passwords = passwords.get(&service).context("it has no password")?;
        let statements = OWNER.replace(PLACEHOLDER, service.name());
        let mut connection = connect(&self.superuser_url(service)).await?;
        execute(&mut connection, format!("BEGIN; {statements} COMMIT;"))
            .await
            .context("cannot give the tables to their owner")?;
        alter_password(&mut connection, &service.database(), &passwords.serving).await?;
        alter_password(&mut connection, &migrator(service), &passwords.migrating).await?;
        close(connection).await
    }

    /// Leaves the service's login the rights that it was granted.
    pub(crate) async fn end_ownership(&self, service: Service) -> Result<()> {
        let (owner, login) = (owner(service), service.database());
        self.as_superuser(service, format!("REVOKE {owner} FROM {login}"))
            .await
            .context("cannot take the owner's rights from the service")
    }

    /// Gives the service's login all rights, as programs of the release before need them.
    pub(crate) async fn lend_ownership(&self, service: Service) -> Result<()> {
        let (owner, login) = (owner(service), service.database());
        self.as_superuser(service, format!("GRANT {owner} TO {login}"))
            .await
            .context("cannot give the owner's rights to the service")
    }

    async fn as_superuser(&self, service: Service, statements: String) -> Result<()> {
        let mut connection = connect(&self.superuser_url(service)).await?;
        execute(&mut connection, statements).await?;
        close(connection).await
    }
}

async fn connect(url: &Url) -> Result<PgConnection> {
    let options = PgConnectOptions::from_url(url).context("wrong database address")?;
    options.connect().await.context("cannot reach PostgreSQL")
}

async fn close(connection: PgConnection) -> Result<()> {
    connection
        .close()
        .await
        .context("cannot close the connection to PostgreSQL")
}

/// Sets the password of a role, whatever it was before.
pub(crate) async fn set_password(url: &Url, role: &str, password: &str) -> Result<()> {
    let mut connection = connect(url).await?;
    alter_password(&mut connection, role, password).await?;
    close(connection).await
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
