//! The manifest of a backup.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgConnection};
use url::Url;

use super::files::{self, Digests};
use crate::component::Service;
use crate::servers::adfolio::{AUTH_SECRETS, WALLET_SECRETS};

/// The folder of PostgreSQL's base backup in a backup.
pub(super) const POSTGRES: &str = "postgres";

/// The folder of the uploads in a backup, and in a data directory.
pub(super) const UPLOADS: &str = "uploads";

const NAME: &str = "backup.json";
const POSTGRES_MANIFEST: &str = "backup_manifest";

/// Incremented when older programs cannot restore what newer ones write.
const FORMAT: u32 = 1;

/// Everything that a restore verifies.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    /// The point in time lies between these two.
    pub(crate) began_at: DateTime<Utc>,
    pub(crate) ended_at: DateTime<Utc>,
    /// The position of the point in the WAL.
    pub(crate) point_lsn: String,
    pub(super) timeline: u32,
    pub(super) postgres: Server,
    /// The schemas of the databases, by service.
    pub(super) schemas: Schemas,
    /// Of all files.
    pub(crate) bytes: u64,
    /// The part of PostgreSQL's manifest that `pg_verifybackup` checks.
    postgres_manifest_sha256: String,
    uploads_sha256: Digests,
    /// Fingerprints of secrets that are not in the backup, and must exist where it is restored.
    secrets: BTreeMap<String, String>,
}

/// The last migration of each database: kit's and the service's.
pub(super) type Schemas = BTreeMap<String, (i64, i64)>;

/// The PostgreSQL that was backed up.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Server {
    pub(super) version: String,
    pub(super) major: u32,
    pub(super) system_identifier: String,
}

#[derive(Deserialize)]
struct PostgresManifest {
    #[serde(rename = "WAL-Ranges")]
    ranges: Vec<LogRange>,
}

#[derive(Deserialize)]
struct LogRange {
    #[serde(rename = "Timeline")]
    timeline: u32,
    #[serde(rename = "End-LSN")]
    end: String,
}

impl Manifest {
    /// Describes the backup whose files are in `folder`, and writes the description to it.
    pub(super) fn write(
        folder: &Path,
        secrets: &Path,
        (began_at, ended_at): (DateTime<Utc>, DateTime<Utc>),
        (postgres, schemas): (Server, Schemas),
        uploads_sha256: Digests,
    ) -> Result<Self> {
        let path = folder.join(POSTGRES).join(POSTGRES_MANIFEST);
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let base: PostgresManifest =
            serde_json::from_slice(&text).context("PostgreSQL's manifest is not understood")?;
        let last = base.ranges.last().context("a base backup without a log")?;
        let manifest = Self {
            format: FORMAT,
            began_at,
            ended_at,
            point_lsn: last.end.clone(),
            timeline: last.timeline,
            postgres,
            schemas,
            bytes: files::size(folder)?,
            postgres_manifest_sha256: files::digest_of(&path)?,
            uploads_sha256,
            secrets: fingerprints(secrets)?,
        };
        let path = folder.join(NAME);
        OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&path)
            .and_then(|mut file| file.write_all(&serde_json::to_vec_pretty(&manifest)?))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(manifest)
    }

    /// The manifest of the backup in `folder`; only its format is checked.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let text = fs::read(&path).with_context(|| {
            format!(
                "{} is no complete backup: cannot read {NAME}",
                folder.display()
            )
        })?;
        let damaged = || format!("{} is damaged", path.display());
        let value: serde_json::Value = serde_json::from_slice(&text).with_context(damaged)?;
        let format = value.get("format").and_then(serde_json::Value::as_u64);
        ensure!(
            format == Some(FORMAT.into()),
            "{} has another format than this program reads ({FORMAT})",
            path.display()
        );
        serde_json::from_value(value).with_context(damaged)
    }

    /// Compares every file except PostgreSQL's own, which `pg_verifybackup` compares with its
    /// manifest.
    pub(super) fn check_files(&self, folder: &Path) -> Result<()> {
        let path = folder.join(POSTGRES).join(POSTGRES_MANIFEST);
        ensure!(
            files::digest_of(&path)? == self.postgres_manifest_sha256,
            "{} was changed after the backup",
            path.display()
        );
        let major = fs::read_to_string(folder.join(POSTGRES).join("PG_VERSION"))
            .context("the backup has no PG_VERSION")?;
        ensure!(
            major.trim() == self.postgres.major.to_string(),
            "the data are of PostgreSQL {}, but {NAME} names {}",
            major.trim(),
            self.postgres.major
        );
        let found = files::digests(&folder.join(UPLOADS))?;
        for (name, digest) in &self.uploads_sha256 {
            match found.get(name) {
                Some(same) if same == digest => {}
                Some(_) => bail!("the upload {name} was changed after the backup"),
                None => bail!("the upload {name} is missing in the backup"),
            }
        }
        match found
            .keys()
            .find(|name| !self.uploads_sha256.contains_key(*name))
        {
            Some(strange) => bail!("the upload {strange} is not in the manifest"),
            None => Ok(()),
        }
    }

    /// Whether `secrets` contains the backed-up wallet's secrets.
    pub(super) fn check_secrets(&self, secrets: &Path) -> Result<()> {
        let found = fingerprints(secrets)?;
        for (name, fingerprint) in &self.secrets {
            let path = secrets.join(name);
            match found.get(name) {
                Some(same) if same == fingerprint => {}
                Some(_) => bail!("{} is not the secret of the backup", path.display()),
                None => bail!("{} is missing", path.display()),
            }
        }
        Ok(())
    }

    /// Uploads in the backup.
    pub(super) fn has_uploads(&self) -> bool {
        !self.uploads_sha256.is_empty()
    }

    /// The secrets that must be kept elsewhere.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.keys().map(String::as_str)
    }

    /// The number of uploads.
    pub(crate) fn uploads(&self) -> usize {
        self.uploads_sha256.len()
    }
}

/// The server at `url`, and the schemas of the databases of `services`.
pub(super) async fn describe(url: &Url, services: &[Service]) -> Result<(Server, Schemas)> {
    let mut connection = connect(url).await?;
    let (version, number, system_identifier): (String, i32, String) = sqlx::query_as(
        "SELECT current_setting('server_version'), current_setting('server_version_num')::integer,
                system_identifier::text FROM pg_control_system()",
    )
    .fetch_one(&mut connection)
    .await
    .context("PostgreSQL did not report its version")?;
    let mut schemas = Schemas::new();
    for service in services.iter().filter(|service| service.has_database()) {
        let mut url = url.clone();
        url.set_path(&service.database());
        let mut connection = connect(&url).await?;
        let versions: (i64, i64) = sqlx::query_as(
            "SELECT (SELECT max(version) FROM _kit_migrations), (SELECT max(version) FROM _sqlx_migrations)",
        )
        .fetch_one(&mut connection)
        .await
        .with_context(|| format!("the database of {service} has no schema"))?;
        schemas.insert(service.name().to_owned(), versions);
    }
    let server = Server {
        version,
        major: u32::try_from(number / 10_000)?,
        system_identifier,
    };
    Ok((server, schemas))
}

/// A connection as the server's superuser.
pub(super) async fn connect(url: &Url) -> Result<PgConnection> {
    PgConnectOptions::from_url(url)
        .context("wrong database address")?
        .connect()
        .await
        .context("cannot reach PostgreSQL")
}

/// Identifies secrets without revealing them: they are random and long.
fn fingerprints(secrets: &Path) -> Result<BTreeMap<String, String>> {
    let mut fingerprints = BTreeMap::new();
    for (_, name) in WALLET_SECRETS.into_iter().chain(AUTH_SECRETS) {
        let path = secrets.join(name);
        if path.exists() {
            let value =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let mut hasher = Sha256::new();
            hasher.update(format!("adfolio-backup|{name}|"));
            hasher.update(value.trim_ascii_end());
            fingerprints.insert(name.to_owned(), hex::encode(hasher.finalize()));
        }
    }
    Ok(fingerprints)
}
