//! Parses JSON bodies and query strings, strictly by type. Failures name the offending field.

use std::future::Future;
use std::time::Duration;

use adfolio_kit::refusal::Reason;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::ToSchema;

use crate::errors::Failure;

/// Limit of receiving a body.
const BODY_LIMIT: Duration = Duration::from_secs(10);

/// Where a request has its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Query string.
    Query,
    /// JSON body.
    Json,
    /// Multipart form.
    Multipart,
    /// Lines of JSON, which are streamed.
    Lines,
    /// No input.
    Nothing,
}

/// The input of a handler.
pub trait Input: Sized + Send + 'static {
    /// Where the request has it.
    const CARRIER: Carrier;
    /// Its schema.
    type Shape: ToSchema;

    /// Reads it from the request. At most `limit` bytes of the body are read.
    fn read(request: Request, limit: usize) -> impl Future<Output = Result<Self, Failure>> + Send;
}

/// A JSON body.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned + ToSchema + Send + 'static> Input for Json<T> {
    const CARRIER: Carrier = Carrier::Json;
    type Shape = T;

    async fn read(request: Request, limit: usize) -> Result<Self, Failure> {
        let is_json = is_json(&request);
        let body = read_body(request.into_body(), limit).await?;
        if body.is_empty() {
            // An empty body means an empty object.
            return parse_json(b"{}").map(Self);
        }
        if !is_json {
            return Err(Failure::at_the_edge(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                Reason::Validation,
            ));
        }
        parse_json(&body).map(Self)
    }
}

/// A query string.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned + ToSchema + Send + 'static> Input for Query<T> {
    const CARRIER: Carrier = Carrier::Query;
    type Shape = T;

    async fn read(request: Request, _: usize) -> Result<Self, Failure> {
        parse_query(request.uri().query().unwrap_or_default().as_bytes()).map(Self)
    }
}

/// No input.
#[derive(Debug)]
pub struct Nothing;

impl Input for Nothing {
    const CARRIER: Carrier = Carrier::Nothing;
    type Shape = crate::dto::Empty;

    async fn read(_: Request, _: usize) -> Result<Self, Failure> {
        Ok(Self)
    }
}

/// Whether the request says that its body is JSON.
fn is_json(request: &Request) -> bool {
    let Some(value) = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
    else {
        return false;
    };
    let essence = value.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Reads the body, within the limits of size and time.
pub(crate) async fn read_body(body: Body, limit: usize) -> Result<Bytes, Failure> {
    match tokio::time::timeout(BODY_LIMIT, Limited::new(body, limit).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Failure::at_the_edge(
            StatusCode::PAYLOAD_TOO_LARGE,
            Reason::Validation,
        )),
        // The client disconnected or is too slow, so it may not see this answer.
        Ok(Err(_)) | Err(_) => Err(Failure::malformed()),
    }
}

/// Parses a JSON object. The failure names the field that is missing or wrong.
pub fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    // serde would also accept an array for a struct.
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(Failure::malformed());
    }
    refuse_nul_escapes(body)?;
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let syntax = error.inner().is_syntax() || error.inner().is_eof();
        if syntax {
            Failure::malformed()
        } else {
            invalid_at(error.path(), &error.inner().to_string())
        }
    })?;
    deserializer.end().map_err(|_| Failure::malformed())?;
    Ok(value)
}

/// Parses a query string. The failure names the parameter that is missing or wrong.
pub fn parse_query<T: DeserializeOwned>(query: &[u8]) -> Result<T, Failure> {
    if let Some((name, _)) = form_urlencoded::parse(query).find(|(_, value)| value.contains('\0')) {
        return Err(Failure::invalid(name));
    }
    let deserializer = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query));
    serde_path_to_error::deserialize(deserializer)
        .map_err(|error| invalid_at(error.path(), &error.inner().to_string()))
}

/// VALIDATION of the input at `path`. For a missing or duplicate field, serde reports the path of the struct and has
/// the field's name only in its message.
fn invalid_at(path: &serde_path_to_error::Path, message: &str) -> Failure {
    let named = ["missing field `", "duplicate field `"]
        .iter()
        .find_map(|start| message.strip_prefix(start)?.split('`').next());
    let mut segments: Vec<String> = Vec::new();
    for segment in path {
        match segment {
            serde_path_to_error::Segment::Map { key } => segments.push(key.clone()),
            serde_path_to_error::Segment::Seq { index } => {
                let item = format!("[{index}]");
                match segments.last_mut() {
                    Some(list) => list.push_str(&item),
                    None => segments.push(item),
                }
            }
            // A variant of an enum or a nameless place; the field around it is in the path already.
            serde_path_to_error::Segment::Enum { .. } | serde_path_to_error::Segment::Unknown => {}
        }
    }
    if let Some(field) = named.filter(|field| segments.last().map(String::as_str) != Some(*field)) {
        segments.push(field.to_owned());
    }
    if segments.is_empty() {
        Failure::malformed()
    } else {
        Failure::invalid(segments.join("."))
    }
}

/// PostgreSQL cannot store the character NUL, so it is refused here. JSON can only express it as an escape, which is
/// rare, so the body is only parsed if one may be present.
fn refuse_nul_escapes(body: &[u8]) -> Result<(), Failure> {
    if !body.windows(6).any(|window| window == br"\u0000") {
        return Ok(());
    }
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Err(Failure::malformed());
    };
    match nul_path(&value, String::new()) {
        Some(path) if path.is_empty() => Err(Failure::malformed()),
        Some(path) => Err(Failure::invalid(path)),
        None => Ok(()),
    }
}

/// The path of a text or name with NUL.
fn nul_path(value: &Value, path: String) -> Option<String> {
    match value {
        Value::String(text) => text.contains('\0').then_some(path),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| nul_path(item, format!("{path}[{index}]"))),
        Value::Object(fields) => fields.iter().find_map(|(name, item)| {
            if name.contains('\0') {
                return Some(path.clone());
            }
            let inner = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            nul_path(item, inner)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
