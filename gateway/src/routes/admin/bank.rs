//! Account statements: who has paid in, as the bank says.

use std::time::Duration;

use adfolio_kit::identity::cut_reason;
use adfolio_kit::refusal::Reason;
use adfolio_kit::{call, client};
use adfolio_proto::wallet::v1 as wallet;

use super::people::Names;
use crate::call::{Call, send};
use crate::dto::bank::{
    BankLine, BankLineListQuery, BankStatement, BankStatementListQuery, BankUpload,
    CreditBankLineRequest, SetBankLineAsideRequest, StaffBankLine,
};
use crate::dto::{Page, page, present};
use crate::errors::Failure;
use crate::form::{self, Form, form_failure};
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{FINANCE, Route};

/// Maximum size of an upload in bytes, form included; wallet takes files of 3 MB.
const UPLOAD_LIMIT: usize = 3 * 1024 * 1024 + TEXT_LIMIT;

/// Maximum size of the other parts, in bytes.
const TEXT_LIMIT: usize = 64 * 1024;

/// Limit of reading and keeping a file.
const READ_LIMIT: Duration = Duration::from_secs(30);

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/bank/statement",
            "uploadBankStatement",
            "Reads an account statement (CAMT.053 or CSV) and keeps its lines; nothing is credited. A file with faults is \
             not kept, and the answer names them.",
            upload,
        )
        .staff(FINANCE)
        .fails(&[Reason::FileTooLarge])
        .body_limit(UPLOAD_LIMIT),
        Route::get(
            "/admin/bank/statements",
            "listBankStatements",
            "Account statements, newest first, with what became of their lines.",
            statements,
        )
        .staff(FINANCE),
        Route::get(
            "/admin/bank/lines",
            "listBankLines",
            "Lines of an account statement, in the order of the file.",
            lines,
        )
        .staff(FINANCE)
        .fails(&[Reason::NotFound]),
        Route::post(
            "/admin/bank/line/credit",
            "creditBankLine",
            "Credits what a line says was paid in, once, whoever calls.",
            credit,
        )
        .staff(FINANCE)
        .fails(&[
            Reason::NotFound,
            Reason::NothingChanged,
            Reason::ApprovalRequired,
        ])
        .says(Success::Submission),
        Route::post(
            "/admin/bank/line/aside",
            "setBankLineAside",
            "Sets a line aside that nobody is to be credited for, or takes that back.",
            set_aside,
        )
        .staff(FINANCE)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update),
    ]
}

/// An account statement to read.
#[derive(Debug, utoipa::ToSchema)]
#[allow(
    dead_code,
    reason = "the form is read part by part; this is its shape for the document"
)]
pub struct BankStatementForm {
    /// CAMT.053, or CSV with a header line, in UTF-8. At most 3 MB and 10,000 lines.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
    /// For CSV: a JSON object from columns to fields (`date`, `amount`, `currency`, `text`, `party`, `bank_reference`,
    /// `end_to_end_id`, `balance`, `account`), for columns that do not have the field's own name.
    #[schema(example = r#"{"Buchungstag":"date","Betrag":"amount"}"#)]
    mapping: Option<String>,
    /// Reason for the audit log.
    #[schema(example = "Statement of 28 November")]
    reason: Option<String>,
}

async fn upload(mut call: Call, mut form: Form<BankStatementForm>) -> Result<BankUpload, Failure> {
    let mut mapping = String::new();
    let mut file = None;
    while let Some(part) = form.next_part().await? {
        match part.name() {
            Some("mapping") => mapping = form::text(part, "mapping", TEXT_LIMIT).await?,
            Some("reason") => {
                let reason = form::text(part, "reason", TEXT_LIMIT).await?;
                call.caller.reason = cut_reason(&reason);
            }
            Some("file") => {
                let name = part.file_name().unwrap_or("statement").to_owned();
                let bytes = part.bytes().await;
                file = Some((name, bytes.map_err(|error| form_failure(&error, "file"))?));
            }
            // Other parts are ignored, like unknown fields of a body.
            _ => {}
        }
    }
    let (name, content) = file.ok_or_else(|| Failure::invalid("file"))?;
    let message = wallet::UploadBankStatementRequest {
        format: format_of(&name, &content).into(),
        name,
        content: content.into(),
        mapping_json: mapping,
    };
    // Kept once by its content, so a lost answer may be asked for again.
    let limits = client::Call::repeated(&call.caller, READ_LIMIT).within(READ_LIMIT);
    let response = call!(
        call.gateway.services().bank_admin,
        upload_bank_statement,
        message,
        limits
    )
    .await?;
    BankUpload::from_proto(response)
}

/// XML by the file's name, else by its first character.
fn format_of(name: &str, content: &[u8]) -> wallet::BankStatementFormat {
    let is_named_xml = std::path::Path::new(name)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("xml"));
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let begins_as_xml = content.trim_ascii_start().first() == Some(&b'<');
    if is_named_xml || begins_as_xml {
        wallet::BankStatementFormat::Camt053
    } else {
        wallet::BankStatementFormat::Csv
    }
}

async fn statements(
    call: Call,
    Query(query): Query<BankStatementListQuery>,
) -> Result<Page<BankStatement>, Failure> {
    let message = wallet::ListBankStatementsRequest {
        id: query.id.unwrap_or_default(),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), bank_admin.list_bank_statements, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn lines(
    call: Call,
    Query(query): Query<BankLineListQuery>,
) -> Result<Page<StaffBankLine>, Failure> {
    let message = wallet::ListBankLinesRequest {
        statement_id: query.statement_id,
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), bank_admin.list_bank_lines, message).await?;
    let ids = response.items.iter();
    let ids = ids.flat_map(|line| [&line.matched_user_id, &line.user_id]);
    let names = Names::of(&call, ids.filter(|id| !id.is_empty())).await;
    Page::compose(response.items, response.next_cursor, |line| {
        with_users(&names, line)
    })
}

async fn credit(
    call: Call,
    Json(request): Json<CreditBankLineRequest>,
) -> Result<StaffBankLine, Failure> {
    let message = wallet::CreditBankLineRequest {
        line_id: request.id,
        user_id: request.user_id.unwrap_or_default(),
    };
    let response = send!(call.writing(), bank_admin.credit_bank_line, message).await?;
    named(&call, present(response.line, "line")?).await
}

async fn set_aside(
    call: Call,
    Json(request): Json<SetBankLineAsideRequest>,
) -> Result<StaffBankLine, Failure> {
    let message = wallet::SetBankLineAsideRequest {
        line_id: request.id,
        aside: request.aside,
        reason: request.reason,
    };
    let response = send!(call.writing(), bank_admin.set_bank_line_aside, message).await?;
    named(&call, present(response.line, "line")?).await
}

async fn named(call: &Call, line: wallet::BankLine) -> Result<StaffBankLine, Failure> {
    let ids = [&line.matched_user_id, &line.user_id];
    let names = Names::of(call, ids.into_iter().filter(|id| !id.is_empty())).await;
    with_users(&names, line)
}

fn with_users(names: &Names, line: wallet::BankLine) -> Result<StaffBankLine, Failure> {
    let user = |id: &String| (!id.is_empty()).then(|| names.user(id.clone()));
    Ok(StaffBankLine {
        matched_user: user(&line.matched_user_id),
        user: user(&line.user_id),
        line: BankLine::from_proto(line)?,
    })
}
