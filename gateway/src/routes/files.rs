//! Uploads.

use std::time::Duration;

use adfolio_kit::refusal::{Reason, Refusal};
use axum::extract::multipart::Field;
use bytes::{Bytes, BytesMut};

use crate::call::Call;
use crate::errors::Failure;
use crate::form::{Form, form_failure};
use crate::messages::Success;
use crate::route::Route;
use crate::uploads::{MAX_FILE_BYTES, UploadedFile};

/// Maximum size of a form in bytes. It exceeds the limit of the picture, so that a slightly larger picture gets a
/// specific error.
const FORM_LIMIT: usize = 6 * 1024 * 1024;

/// Limit of receiving an upload.
const UPLOAD_LIMIT: Duration = Duration::from_mins(1);

/// Reads the part with the picture.
const FILE: &str = "file";

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/files/upload",
            "uploadFile",
            "Uploads a picture of at most 5 MB: PNG, JPEG, WebP or GIF, detected by content.",
            upload,
        )
        .user()
        .fails(&[Reason::FileTooLarge, Reason::FileNotImage])
        .says(Success::Submission)
        .keyed()
        .body_limit(FORM_LIMIT),
    ]
}

/// A picture to upload.
#[derive(Debug, utoipa::ToSchema)]
#[allow(
    dead_code,
    reason = "the form is read part by part; this is its shape for the document"
)]
pub struct UploadForm {
    /// PNG, JPEG, WebP or GIF, at most 5 MB (5,242,880 bytes).
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
}

async fn upload(call: Call, mut form: Form<UploadForm>) -> Result<UploadedFile, Failure> {
    let uploads = call.gateway.uploads();
    let turn = uploads.turn().await?;
    let received = tokio::time::timeout(UPLOAD_LIMIT, receive(&mut form)).await;
    let bytes = received.map_err(|_| Failure::malformed())??;
    let key = call.caller.idempotency_key.as_ref();
    let file = uploads.keep(call.user()?, key, bytes).await?;
    drop(turn);
    Ok(file)
}

async fn receive(form: &mut Form<UploadForm>) -> Result<Bytes, Failure> {
    while let Some(part) = form.next_part().await? {
        if part.name() == Some(FILE) {
            return read(part).await;
        }
    }
    Err(Failure::invalid(FILE))
}

async fn read(mut part: Field<'_>) -> Result<Bytes, Failure> {
    let mut bytes = BytesMut::new();
    let mut too_large = false;
    while let Some(piece) = part
        .chunk()
        .await
        .map_err(|error| form_failure(&error, FILE))?
    {
        // Reads the rest anyway, because a client that is still sending would not see the answer.
        too_large |= bytes.len().saturating_add(piece.len()) > MAX_FILE_BYTES;
        if too_large {
            bytes = BytesMut::new();
        } else {
            bytes.extend_from_slice(&piece);
        }
    }
    if too_large {
        return Err(Refusal::new(Reason::FileTooLarge).field(FILE).into());
    }
    Ok(bytes.freeze())
}
