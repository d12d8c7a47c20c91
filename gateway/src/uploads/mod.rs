//! Pictures that users upload: checked, re-encoded and kept in an object store.
//!
//! A file's id begins with a digest of its owner, so ownership is checked without a database. Uploads are never
//! stored as received: they are decoded within limits and encoded again, which removes everything else.
//!
//! Objects: `files/<id>` is a picture; `keys/<owner><digest of the idempotency key>` is the answer of an upload with
//! that key.

mod http;
mod picture;
mod serve;
mod store;

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::config::ConfigError;
use adfolio_kit::identity::{IdempotencyKey, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use axum::http::StatusCode;
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use object_store::path::Path;
use object_store::{GetResult, ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::{error, warn};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::config::GatewayConfig;
use crate::errors::Failure;
use crate::paths::file_url;

pub use serve::serve;
pub use store::open_s3;

/// Maximum size of a picture in bytes, inclusive.
pub const MAX_FILE_BYTES: usize = 5 * 1024 * 1024;

/// Maximum number of uploads received at the same time; each holds its picture in memory.
const RECEIVED_AT_A_TIME: usize = 16;

/// Maximum number of pictures decoded at the same time. Each takes up to [`picture::MAX_DECODED_BYTES`], and twice
/// that while it is rotated.
const DECODED_AT_A_TIME: usize = 2;

/// How long an upload waits for a slot.
const TURN_LIMIT: Duration = Duration::from_secs(5);

/// When a client that got no slot may try again.
const TURN_RETRY: Duration = Duration::from_secs(2);

/// Limit of a request to the store.
const STORE_LIMIT: Duration = Duration::from_secs(10);

/// Lifetime of an idempotency key.
const KEY_LIFE: TimeDelta = TimeDelta::hours(24);

/// Number of hex digits of an id that identify the owner.
const OWNER_DIGITS: usize = 16;

/// Number of hex digits of an id that identify a file of its owner.
const FILE_DIGITS: usize = 32;

/// A picture that was uploaded.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct UploadedFile {
    /// Opaque id, for fields that refer to a file.
    #[schema(example = "4be1c7a09d3f52685f0c1f6e2b7d4a91a3c8e0d7b6f5142c")]
    pub id: String,
    /// Public address of the picture.
    #[schema(example = "/api/files/4be1c7a09d3f52685f0c1f6e2b7d4a91a3c8e0d7b6f5142c")]
    pub url: String,
    /// Width in pixels.
    #[schema(example = 640, minimum = 1)]
    pub width: u32,
    /// Height in pixels.
    #[schema(example = 480, minimum = 1)]
    pub height: u32,
    /// Size of the stored picture, in bytes.
    #[schema(example = 48213, minimum = 1)]
    pub size: u64,
}

/// The stored record of an upload with an idempotency key.
#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    content: String,
    at: DateTime<Utc>,
    file: UploadedFile,
}

/// The uploaded pictures. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Uploads {
    store: Arc<dyn ObjectStore>,
    receiving: Arc<Semaphore>,
    decoding: Arc<Semaphore>,
}

impl Uploads {
    /// The configured store. A local folder is created if it is missing.
    pub fn open(config: &GatewayConfig) -> Result<Self, ConfigError> {
        let store = match &config.upload_url {
            Some(url) => store::open_s3(url, std::env::vars())?,
            None => store::open_folder(&config.upload_dir)?,
        };
        Ok(Self::on(store))
    }

    /// On an open store.
    pub fn on(store: Arc<dyn ObjectStore>) -> Self {
        Self {
            store,
            receiving: Arc::new(Semaphore::new(RECEIVED_AT_A_TIME)),
            decoding: Arc::new(Semaphore::new(DECODED_AT_A_TIME)),
        }
    }

    /// A slot among the uploads being received. Take it before reading the first byte.
    pub async fn turn(&self) -> Result<OwnedSemaphorePermit, Failure> {
        take_turn(&self.receiving).await
    }

    /// Stores a picture. The same key and picture from the same user return the first answer again.
    pub async fn keep(
        &self,
        user: UserId,
        key: Option<&IdempotencyKey>,
        bytes: Bytes,
    ) -> Result<UploadedFile, Failure> {
        let content = hex::encode(Sha256::digest(&bytes));
        let Some(key) = key else {
            let name = Uuid::new_v4().simple().to_string();
            return self.write_picture(file_id(user, &name), bytes).await;
        };
        let memory = Path::from(format!("keys/{}", file_id(user, &digest(key.as_str()))));
        if let Some(file) = self.recall(&memory, &content).await? {
            return Ok(file);
        }
        // The id is derived from user, key and content, so that two concurrent uploads write the same file.
        let name = digest(&format!("{user}|{key}|{content}"));
        let file = self.write_picture(file_id(user, &name), bytes).await?;
        self.remember(&memory, content, file).await
    }

    /// Refuses a file that does not belong to this user, as if it did not exist.
    pub async fn require_owned(
        &self,
        user: UserId,
        file_id: &str,
        field: &str,
    ) -> Result<(), Failure> {
        let unknown = || Failure::from(Refusal::not_found(field));
        if !is_file_id(file_id) || !file_id.starts_with(&owner(user)) {
            return Err(unknown());
        }
        match bounded(self.store.head(&file_path(file_id))).await {
            Ok(_) => Ok(()),
            Err(object_store::Error::NotFound { .. }) => Err(unknown()),
            Err(error) => Err(unreachable_store("look up a file", &error)),
        }
    }

    /// The stored picture with this id.
    async fn read(&self, file_id: &str) -> Result<Option<GetResult>, Failure> {
        if !is_file_id(file_id) {
            return Ok(None);
        }
        match bounded(self.store.get(&file_path(file_id))).await {
            Ok(found) => Ok(Some(found)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(unreachable_store("read a file", &error)),
        }
    }

    async fn write_picture(&self, id: String, bytes: Bytes) -> Result<UploadedFile, Failure> {
        let turn = take_turn(&self.decoding).await?;
        let recoded = tokio::task::spawn_blocking(move || {
            let recoded = picture::recode(&bytes);
            drop(turn);
            recoded
        });
        // A decoder that panics was given something that is not a picture.
        let picture = recoded
            .await
            .unwrap_or_else(|error| {
                warn!(%error, "cannot decode a picture");
                Err(Reason::FileNotImage)
            })
            .map_err(|reason| Failure::from(Refusal::new(reason).field("file")))?;
        let file = UploadedFile {
            url: file_url(&id),
            width: picture.width,
            height: picture.height,
            size: u64::try_from(picture.bytes.len()).unwrap_or(u64::MAX),
            id,
        };
        let payload = PutPayload::from(picture.bytes);
        bounded(self.store.put(&file_path(&file.id), payload))
            .await
            .map_err(|error| unreachable_store("write a file", &error))?;
        Ok(file)
    }

    /// The answer of an earlier upload with this key. A key that was used for another picture is refused.
    async fn recall(&self, memory: &Path, content: &str) -> Result<Option<UploadedFile>, Failure> {
        let unreachable = |error: object_store::Error| unreachable_store("recall a key", &error);
        let found = match bounded(self.store.get(memory)).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(unreachable(error)),
        };
        let bytes = bounded(found.bytes()).await.map_err(unreachable)?;
        // An unreadable record is overwritten, like an expired one.
        let Ok(remembered) = serde_json::from_slice::<Remembered>(&bytes) else {
            return Ok(None);
        };
        if Utc::now().signed_duration_since(remembered.at) > KEY_LIFE {
            bounded(self.store.delete(memory))
                .await
                .map_err(unreachable)?;
            return Ok(None);
        }
        if remembered.content == content {
            Ok(Some(remembered.file))
        } else {
            Err(Failure::new(Reason::IdempotencyKeyReused))
        }
    }

    /// Stores the answer of an upload. If another upload with the same key was faster, its answer counts.
    async fn remember(
        &self,
        memory: &Path,
        content: String,
        file: UploadedFile,
    ) -> Result<UploadedFile, Failure> {
        let remembered = Remembered {
            content,
            at: Utc::now(),
            file,
        };
        let json = serde_json::to_vec(&remembered)
            .map_err(|error| Failure::internal("serialise", &error))?;
        let created = self
            .store
            .put_opts(memory, PutPayload::from(json), PutMode::Create.into());
        match bounded(created).await {
            Ok(_) => Ok(remembered.file),
            Err(object_store::Error::AlreadyExists { .. }) => {
                let first = self.recall(memory, &remembered.content).await?;
                Ok(first.unwrap_or(remembered.file))
            }
            Err(error) => Err(unreachable_store("remember a key", &error)),
        }
    }
}

async fn take_turn(turns: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Failure> {
    let turn = tokio::time::timeout(TURN_LIMIT, Arc::clone(turns).acquire_owned()).await;
    match turn {
        Ok(Ok(turn)) => Ok(turn),
        Ok(Err(_)) | Err(_) => Err(Failure {
            refusal: Refusal::new(Reason::TooManyAttempts).retry_after(TURN_RETRY),
            status: StatusCode::TOO_MANY_REQUESTS,
            lang: None,
        }),
    }
}

async fn bounded<T>(
    request: impl Future<Output = object_store::Result<T>>,
) -> object_store::Result<T> {
    tokio::time::timeout(STORE_LIMIT, request)
        .await
        .unwrap_or_else(|elapsed| {
            Err(object_store::Error::Generic {
                store: "uploads",
                source: Box::new(elapsed),
            })
        })
}

fn unreachable_store(operation: &'static str, cause: &object_store::Error) -> Failure {
    error!(
        operation,
        error = adfolio_kit::refusal::chain(cause),
        "the upload store is unavailable"
    );
    Failure::at_the_edge(StatusCode::SERVICE_UNAVAILABLE, Reason::Unavailable)
}

/// The digest of a file's owner, as in its id.
fn owner(user: UserId) -> String {
    let mut digits = hex::encode(Sha256::digest(user.to_string()));
    digits.truncate(OWNER_DIGITS);
    digits
}

fn digest(text: &str) -> String {
    let mut digits = hex::encode(Sha256::digest(text));
    digits.truncate(FILE_DIGITS);
    digits
}

fn file_id(user: UserId, name: &str) -> String {
    format!("{}{name}", owner(user))
}

/// Whether a text can be a file's id. An id has no separators or dots, so it names no other object.
fn is_file_id(text: &str) -> bool {
    text.len() == OWNER_DIGITS.saturating_add(FILE_DIGITS)
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn file_path(file_id: &str) -> Path {
    Path::from(format!("files/{file_id}"))
}
