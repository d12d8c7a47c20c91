//! The store of uploads: a local folder or an S3 bucket.

use std::path::Path as FilePath;
use std::sync::Arc;

use adfolio_kit::config::ConfigError;
use object_store::ObjectStore;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use url::Url;

use super::http::Connector;

/// Prefix of the environment variables that configure the S3 client.
const S3_VARIABLES: &str = "AWS_";

/// A folder; created if it is missing.
pub fn open_folder(folder: &FilePath) -> Result<Arc<dyn ObjectStore>, ConfigError> {
    std::fs::create_dir_all(folder).map_err(|source| ConfigError::Unreadable {
        path: folder.to_owned(),
        source,
    })?;
    let store =
        LocalFileSystem::new_with_prefix(folder).map_err(|error| ConfigError::Unreadable {
            path: folder.to_owned(),
            source: std::io::Error::other(error),
        })?;
    Ok(Arc::new(store))
}

/// A bucket, with a prefix if the address has a path. `variables` is the environment; the variables of the AWS tools
/// (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT`, …) configure the client.
pub fn open_s3(
    url: &str,
    variables: impl IntoIterator<Item = (String, String)>,
) -> Result<Arc<dyn ObjectStore>, ConfigError> {
    let invalid = || ConfigError::Invalid {
        name: "UPLOAD_URL",
        expected: "s3://bucket/prefix with what AWS_… variables it needs",
    };
    let parsed = Url::parse(url).map_err(|_| invalid())?;
    if parsed.scheme() != "s3" {
        return Err(invalid());
    }
    let mut builder = AmazonS3Builder::new()
        .with_url(url)
        .with_http_connector(Connector);
    for (name, value) in variables {
        if !name.starts_with(S3_VARIABLES) {
            continue;
        }
        if let Ok(key) = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>() {
            builder = builder.with_config(key, value);
        }
    }
    let bucket = builder.build().map_err(|_| invalid())?;
    let prefix = Path::from_url_path(parsed.path()).map_err(|_| invalid())?;
    Ok(Arc::new(PrefixStore::new(bucket, prefix)))
}
