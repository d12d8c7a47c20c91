//! Import of delivery reports: a multipart form whose file is streamed to plan.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::{Caller, cut_reason};
use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1::import_delivery_request::Part;
use adfolio_proto::plan::v1::{self as plan, ImportDeliveryRequest, ImportFormat, ImportHeader};
use axum::extract::multipart::Field;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::{Bytes, BytesMut};
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};

use crate::call::{Call, send};
use crate::dto::import::{DecideImportRequest, DeliveryImport, ImportListQuery, ImportResult};
use crate::dto::{Decode, Page, page};
use crate::errors::Failure;
use crate::form::{self, Form, form_failure};
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ANY_ROLE, FINANCE_AND_OPERATOR, OPERATOR, Route};
use crate::streamed::Feed;

/// Maximum size of an upload in bytes, form included.
const UPLOAD_LIMIT: usize = 64 * 1024 * 1024;

/// Maximum size of a mapping or a source, in bytes.
const TEXT_LIMIT: usize = 64 * 1024;

/// Limit of an import, upload included.
const IMPORT_LIMIT: Duration = Duration::from_mins(5);

/// Bytes per piece read from a temporary file.
const PIECE_BYTES: usize = 256 * 1024;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/delivery/import",
            "importDelivery",
            "Proposes delivery reports from a CSV or JSONL file; a second member of staff releases them.",
            import,
        )
        .staff(OPERATOR)
        .fails(&[Reason::FileTooLarge])
        .says(Success::Submission)
        .keyed()
        .body_limit(UPLOAD_LIMIT),
        Route::get(
            "/admin/delivery/imports",
            "listDeliveryImports",
            "Imports of delivery reports, newest first.",
            list,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/delivery/import/decide",
            "decideDeliveryImport",
            "Releases a proposed import, or rejects it, by another member of staff.",
            decide,
        )
        .staff(FINANCE_AND_OPERATOR)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update)
        .keyed(),
    ]
}

/// Delivery reports to import.
#[derive(Debug, utoipa::ToSchema)]
#[allow(
    dead_code,
    reason = "the form is read part by part; this is its shape for the document"
)]
pub struct DeliveryImportForm {
    /// CSV with a header line, or JSONL with one object per line. At most 64 MB, form included.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
    /// Name of the reporting source: 1 to 64 characters from a-z, 0-9, '-' and '_'.
    #[schema(example = "network-a")]
    source: String,
    /// Mapping of columns: a JSON object from columns to fields.
    #[schema(
        example = r#"{"id":"report_id","plan":"plan_number","at":"time","views":"impressions"}"#
    )]
    mapping: String,
    /// `true` only to learn what the file would bring.
    #[schema(value_type = Option<bool>)]
    dry_run: Option<String>,
    /// The source's Ed25519 signature in base64; a source with a valid key signs every file.
    #[schema(value_type = Option<String>)]
    signature: Option<String>,
    /// Reason for the audit log. Like the other parts, it counts only if it precedes the file.
    #[schema(example = "Daily report")]
    reason: Option<String>,
}

/// The parts that plan needs before the first piece.
#[derive(Default)]
struct Preamble {
    source: Option<String>,
    mapping: Option<String>,
    is_dry_run: bool,
    signature: Vec<u8>,
}

impl Preamble {
    /// The description of a file; none before source and mapping are there.
    fn header(&self, format: ImportFormat) -> Option<ImportHeader> {
        Some(ImportHeader {
            format: format.into(),
            source: self.source.clone()?,
            mapping_json: self.mapping.clone()?,
            dry_run: self.is_dry_run,
            signature: self.signature.clone(),
        })
    }
}

async fn import(call: Call, mut form: Form<DeliveryImportForm>) -> Result<ImportResult, Failure> {
    tokio::time::timeout(IMPORT_LIMIT, receive(call, &mut form))
        .await
        .map_err(|_| Failure::malformed())?
}

/// Reads the form in order. A file that follows the other parts is streamed; one that precedes them is stored in a
/// temporary file first.
async fn receive(
    mut call: Call,
    form: &mut Form<DeliveryImportForm>,
) -> Result<ImportResult, Failure> {
    let mut preamble = Preamble::default();
    let mut waiting: Option<(ImportFormat, File)> = None;
    while let Some(part) = form.next_part().await? {
        match part.name() {
            Some("source") => preamble.source = Some(text(part, "source").await?),
            Some("mapping") => preamble.mapping = Some(mapping(part).await?),
            Some("dry_run") => preamble.is_dry_run = flag(part, "dry_run").await?,
            Some("signature") => preamble.signature = signature(part).await?,
            Some("reason") => call.caller.reason = cut_reason(&text(part, "reason").await?),
            Some("file") => {
                let upload = Upload::open(part).await?;
                match preamble.header(upload.format) {
                    Some(header) => {
                        return self::upload(&call, header, Pieces::Upload(upload)).await;
                    }
                    None => waiting = Some(set_aside(upload).await?),
                }
            }
            // Other parts are ignored, like unknown fields of a body.
            _ => {}
        }
    }
    if preamble.source.is_none() {
        return Err(Failure::invalid("source"));
    }
    if preamble.mapping.is_none() {
        return Err(Failure::invalid("mapping"));
    }
    let (format, file) = waiting.ok_or_else(|| Failure::invalid("file"))?;
    let header = preamble.header(format);
    let header = header.ok_or_else(|| Failure::invalid("mapping"))?;
    upload(&call, header, Pieces::File(file)).await
}

async fn list(
    call: Call,
    Query(query): Query<ImportListQuery>,
) -> Result<Page<DeliveryImport>, Failure> {
    let message = plan::ListDeliveryImportsRequest {
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), plan_admin.list_delivery_imports, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn decide(
    call: Call,
    Json(request): Json<DecideImportRequest>,
) -> Result<DeliveryImport, Failure> {
    let message = plan::DecideDeliveryImportRequest {
        import_id: request.import_id,
        decision: request.decision.into(),
        reason: request.reason,
    };
    let response = send!(call.writing(), plan_admin.decide_delivery_import, message).await?;
    DeliveryImport::decode(response.import, "import")
}

/// Streams an import to plan. If the upload is aborted, the call is cancelled instead of completed, so that plan does
/// not take the partial file as complete.
async fn upload(
    call: &Call,
    header: ImportHeader,
    mut pieces: Pieces<'_>,
) -> Result<ImportResult, Failure> {
    let caller = Caller {
        deadline: Deadline::after(IMPORT_LIMIT),
        ..call.caller.clone()
    };
    let (feed, messages) = Feed::open();
    let request = outgoing(&caller, messages, IMPORT_LIMIT);
    let mut client = call.gateway.services().plan_admin.clone();
    let sent = async move {
        feed.send(message(Part::Header(header))).await;
        while let Some(piece) = pieces.next().await? {
            feed.send_bytes(piece, |bytes| message(Part::Chunk(bytes)))
                .await;
        }
        feed.complete().await;
        Ok(())
    };
    let answered = async { client.import_delivery(request).await.map_err(Failure::from) };
    let ((), response) = futures::try_join!(sent, answered)?;
    ImportResult::from_proto(response.into_inner())
}

fn message(part: Part) -> ImportDeliveryRequest {
    ImportDeliveryRequest { part: Some(part) }
}

/// The source of a file's pieces.
enum Pieces<'a> {
    /// From the client, as they arrive.
    Upload(Upload<'a>),
    /// From a temporary file.
    File(File),
}

impl Pieces<'_> {
    async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        match self {
            Self::Upload(upload) => upload.next().await,
            Self::File(file) => {
                let mut piece = BytesMut::with_capacity(PIECE_BYTES);
                let read = file.read_buf(&mut piece).await;
                let count =
                    read.map_err(|error| Failure::internal("read an upload back", &error))?;
                Ok((count > 0).then(|| piece.freeze()))
            }
        }
    }
}

/// A file being uploaded. Its first piece is read ahead because the format may depend on it.
struct Upload<'a> {
    part: Field<'a>,
    first: Option<Bytes>,
    format: ImportFormat,
}

impl<'a> Upload<'a> {
    async fn open(mut part: Field<'a>) -> Result<Self, Failure> {
        let first = part
            .chunk()
            .await
            .map_err(|error| form_failure(&error, "file"))?;
        let format = format_of(part.file_name(), first.as_deref().unwrap_or_default());
        Ok(Self {
            part,
            first,
            format,
        })
    }

    async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self
                .part
                .chunk()
                .await
                .map_err(|error| form_failure(&error, "file")),
        }
    }
}

/// Copies an uploaded file to an anonymous temporary file.
async fn set_aside(mut upload: Upload<'_>) -> Result<(ImportFormat, File), Failure> {
    let broken = |error: std::io::Error| Failure::internal("set an upload aside", &error);
    let mut file = File::from_std(tempfile::tempfile().map_err(broken)?);
    while let Some(piece) = upload.next().await? {
        file.write_all(&piece).await.map_err(broken)?;
    }
    file.flush().await.map_err(broken)?;
    file.rewind().await.map_err(broken)?;
    Ok((upload.format, file))
}

/// Detects JSONL by the file's name, else by its first character.
fn format_of(file_name: Option<&str>, start: &[u8]) -> ImportFormat {
    let extension = file_name
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("jsonl" | "ndjson" | "json") => ImportFormat::Jsonl,
        Some("csv") => ImportFormat::Csv,
        _ if start.trim_ascii_start().first() == Some(&b'{') => ImportFormat::Jsonl,
        _ => ImportFormat::Csv,
    }
}

/// Reads a text part, up to the limit.
async fn text(part: Field<'_>, name: &'static str) -> Result<String, Failure> {
    form::text(part, name, TEXT_LIMIT).await
}

/// Reads a signature in base64, with or without a line end.
async fn signature(field: Field<'_>) -> Result<Vec<u8>, Failure> {
    let text = text(field, "signature").await?;
    let decoded = BASE64_STANDARD.decode(text.trim());
    decoded.map_err(|_| Failure::invalid("signature"))
}

/// Reads a flag.
async fn flag(field: Field<'_>, name: &'static str) -> Result<bool, Failure> {
    match text(field, name).await?.as_str() {
        "true" => Ok(true),
        "false" | "" => Ok(false),
        _ => Err(Failure::invalid(name)),
    }
}

/// Reads the mapping, which must be a JSON object. plan validates its content.
async fn mapping(field: Field<'_>) -> Result<String, Failure> {
    let text = text(field, "mapping").await?;
    match serde_json::from_str(&text) {
        Ok(Value::Object(_)) => Ok(text),
        _ => Err(Failure::invalid("mapping")),
    }
}
