//! Multipart forms.

use std::marker::PhantomData;

use adfolio_kit::refusal::Reason;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use axum::http::{StatusCode, header};
use utoipa::ToSchema;

use crate::errors::Failure;
use crate::input::{Carrier, Input};

/// A multipart form, read part by part; `S` is its schema.
#[derive(Debug)]
pub struct Form<S> {
    parts: Multipart,
    shape: PhantomData<S>,
}

impl<S> Form<S> {
    /// The next part, in the order of the form.
    pub async fn next_part(&mut self) -> Result<Option<Field<'_>>, Failure> {
        match self.parts.next_field().await {
            Ok(part) => Ok(part),
            Err(error) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(too_large()),
            Err(_) => Err(Failure::malformed()),
        }
    }
}

impl<S: ToSchema + Send + 'static> Input for Form<S> {
    const CARRIER: Carrier = Carrier::Multipart;
    type Shape = S;

    async fn read(mut request: Request, limit: usize) -> Result<Self, Failure> {
        let content_type = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        if !content_type
            .trim_start()
            .to_ascii_lowercase()
            .starts_with("multipart/form-data")
        {
            return Err(Failure::at_the_edge(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                Reason::Validation,
            ));
        }
        DefaultBodyLimit::max(limit).apply(&mut request);
        let parts = Multipart::from_request(request, &())
            .await
            .map_err(|_| Failure::malformed())?;
        Ok(Self {
            parts,
            shape: PhantomData,
        })
    }
}

/// Reads a part as a text of at most `limit` bytes.
pub async fn text(
    mut part: Field<'_>,
    name: &'static str,
    limit: usize,
) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    while let Some(piece) = part
        .chunk()
        .await
        .map_err(|error| form_failure(&error, name))?
    {
        bytes.extend_from_slice(&piece);
        if bytes.len() > limit {
            return Err(Failure::invalid(name));
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::invalid(name))?;
    if text.contains('\0') {
        Err(Failure::invalid(name))
    } else {
        Ok(text)
    }
}

/// The failure of an incomplete part.
pub fn form_failure(error: &MultipartError, field: &'static str) -> Failure {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        too_large()
    } else {
        Failure::invalid(field)
    }
}

fn too_large() -> Failure {
    Failure::at_the_edge(StatusCode::PAYLOAD_TOO_LARGE, Reason::FileTooLarge)
}
