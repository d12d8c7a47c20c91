//! `adfolioctl delivery`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_proto::plan::v1::import_delivery_request::Part;
use adfolio_proto::plan::v1::{
    DeliveryImport, ImportDeliveryRequest, ImportDeliveryResponse, ImportFormat, ImportHeader,
    ImportState, ListDeliveryImportsRequest, ListQuarantinedReportsRequest, NotableRow,
    QuarantineState, QuarantinedReport, VerifyReportsRequest,
};
use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::{Args, Subcommand, ValueEnum};
use futures::stream::{self, Stream, StreamExt as _};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::chain::{Chain, VERIFY_LIMIT};
use crate::files;
use crate::names::{self, name, text, time};
use crate::output::{Row, complain, say};
use crate::services::{CallError, Listing, Services, ask, list, operator, operator_within};

/// The exit code of an import that rejected rows.
const EXIT_REJECTED: u8 = 3;

/// Bytes per piece; the contract allows 1 MiB.
const CHUNK_BYTES: usize = 256 * 1024;

/// Maximum number of pieces waiting to be sent. It bounds how fast the file is read.
const CHUNKS_IN_FLIGHT: usize = 4;

/// Maximum length of a mapping, in bytes.
const LONGEST_MAPPING: u64 = 1024 * 1024;

/// Delivery reports
#[derive(Debug, Subcommand)]
pub enum DeliveryCommand {
    /// Proposes a file of delivery reports, which a person releases; exits with 3 if rows were rejected
    Import(Import),
    /// Lists imports
    Imports {
        /// Only imports in this state: proposed, released, rejected or expired
        #[arg(long, value_parser = names::parse::<ImportState>)]
        state: Option<ImportState>,
        #[command(flatten)]
        listing: Listing,
    },
    /// Lists reports that the gate holds back
    Quarantine {
        /// Only reports in this state: waiting, approved, released or rejected
        #[arg(long, value_parser = names::parse::<QuarantineState>)]
        state: Option<QuarantineState>,
        #[command(flatten)]
        listing: Listing,
    },
    /// Verifies the hash chain of all reports; exits with 1 if it is broken
    Verify,
}

impl DeliveryCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        match self {
            Self::Import(import) => import.run(services).await,
            Self::Imports { state, listing } => {
                let state = names::filter(state);
                let message = ListDeliveryImportsRequest { state, page: None };
                let found = list!(
                    services.plan_admin,
                    list_delivery_imports,
                    operator(),
                    message,
                    listing.max
                );
                listing.print(&found.await?, row);
                Ok(ExitCode::SUCCESS)
            }
            Self::Quarantine { state, listing } => {
                let state = names::filter(state);
                let message = ListQuarantinedReportsRequest { state, page: None };
                let found = list!(
                    services.plan_admin,
                    list_quarantined_reports,
                    operator(),
                    message,
                    listing.max
                );
                listing.print(&found.await?, quarantined_row);
                Ok(ExitCode::SUCCESS)
            }
            Self::Verify => verify(services).await,
        }
    }
}

/// Plan compares its reports with the chain; `adfolioctl wallet reconcile` compares the chain with what was published.
async fn verify(services: &Services) -> anyhow::Result<ExitCode> {
    let caller = operator_within(VERIFY_LIMIT);
    let found = ask!(
        services.plan_admin,
        verify_reports,
        caller,
        VerifyReportsRequest {}
    )?;
    say(&format!(
        "read {} reports in sealed batches; {} batches are not sealed yet; {} reports are in none, because an earlier \
         release took them",
        found.reports, found.waiting, found.unsealed
    ));
    let chain = Chain {
        name: "THE CHAIN OF REPORTS",
        unit: "batch",
        sequence: found.sequence,
        hash: &found.hash,
        broken_sequence: found.broken_sequence,
        detail: &found.detail,
    };
    Ok(chain.say())
}

fn row(import: &DeliveryImport) -> Row {
    let totals = import.totals.unwrap_or_default();
    let notable = import.notable.iter();
    let notable: Vec<_> = notable
        .map(|found| format!("{}: {} is {}", subject(found), found.rule, found.value))
        .collect();
    vec![
        ("id", json!(import.id)),
        ("state", name::<ImportState>(import.state)),
        ("source", json!(import.source)),
        ("plans", json!(totals.plans)),
        ("impressions", json!(totals.impressions)),
        ("clicks", json!(totals.clicks)),
        ("spend_micros", json!(totals.spend_micros)),
        ("revenue_micros", json!(totals.revenue_micros)),
        ("notable", json!(notable)),
        ("sha256", text(&import.sha256)),
        ("by", text(&import.by)),
        ("at", time(import.at)),
        ("decided_by", text(&import.decided_by)),
        ("decided_at", time(import.decided_at)),
        ("reason", text(&import.reason)),
        ("applied", json!(import.applied)),
        ("repeated", json!(import.repeated_rows)),
        ("restated", json!(import.restated)),
        ("rejected", json!(import.rejected_count)),
        ("under_way", json!(import.under_way)),
        ("signed_by", text(&import.signed_by_kid)),
    ]
}

fn quarantined_row(report: &QuarantinedReport) -> Row {
    let findings = report.findings.iter();
    let findings: Vec<_> = findings
        .map(|found| format!("{}: {}", found.rule, found.detail))
        .collect();
    vec![
        ("id", json!(report.id)),
        ("state", name::<QuarantineState>(report.state)),
        ("source", json!(report.source)),
        ("import_id", text(&report.import_id)),
        ("line", json!(report.line)),
        ("report_id", json!(report.report_id)),
        ("revision", json!(report.revision)),
        ("plan_number", json!(report.plan_number)),
        ("placement", text(&report.placement)),
        ("time", time(report.time)),
        ("impressions", json!(report.impressions)),
        ("clicks", json!(report.clicks)),
        ("spend_micros", json!(report.spend_micros)),
        ("revenue_micros", json!(report.revenue_micros)),
        ("findings", json!(findings)),
        ("at", time(report.at)),
        ("approved_by", text(&report.approved_by)),
        ("decided_by", text(&report.decided_by)),
        ("decided_at", time(report.decided_at)),
        ("reason", text(&report.reason)),
        ("outcome", text(&report.outcome)),
    ]
}

/// What stands out: a plan, or the whole file.
fn subject(found: &NotableRow) -> String {
    match found.plan_number.as_str() {
        "" => "the file".to_owned(),
        number => format!("plan {number}"),
    }
}

/// Format of a file
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Comma-separated values with a header line
    Csv,
    /// One JSON object per line
    Jsonl,
}

/// Proposes a file of delivery reports; exits with 3 if rows were rejected
#[derive(Args, Debug)]
pub struct Import {
    /// The file
    file: PathBuf,
    /// Name of the reporting source; a report is identified by source and report id
    #[arg(long)]
    source: String,
    /// Mapping of columns: a JSON object, or the name of a file with one
    #[arg(long, default_value = "{}")]
    mapping: String,
    /// Format of the file; by default from its name
    #[arg(long)]
    format: Option<Format>,
    /// Only say what the file would bring
    #[arg(long)]
    dry_run: bool,
    /// File with the source's signature in base64; a source with a valid key signs every file
    #[arg(long)]
    signature_file: Option<PathBuf>,
    /// Limit of the import in seconds
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    limit_seconds: u64,
}

impl Import {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let format = self.format.map_or_else(|| format_of(&self.file), Ok)?;
        let header = ImportHeader {
            format: match format {
                Format::Csv => ImportFormat::Csv,
                Format::Jsonl => ImportFormat::Jsonl,
            }
            .into(),
            source: self.source.clone(),
            mapping_json: read_mapping(&self.mapping)?,
            dry_run: self.dry_run,
            signature: self
                .signature_file
                .as_deref()
                .map_or_else(|| Ok(Vec::new()), read_signature)?,
        };
        let shown = self.file.display();
        let file = tokio::fs::File::open(&self.file)
            .await
            .with_context(|| format!("cannot open {shown}"))?;
        let outcome = import(
            services,
            header,
            file,
            Duration::from_secs(self.limit_seconds),
        )
        .await?;
        match outcome.state() {
            ImportState::Proposed => say(&format!(
                "proposed as {}; another member of staff releases it",
                outcome.import_id
            )),
            _ => say("released"),
        }
        let totals = outcome.totals.unwrap_or_default();
        say(&format!("sha256    {}", outcome.sha256));
        if !outcome.signed_by_kid.is_empty() {
            say(&format!("signed by {}", outcome.signed_by_kid));
        }
        say(&format!("plans     {}", totals.plans));
        for found in &outcome.notable {
            complain(&format!(
                "{}: {} is {}, usually {}",
                subject(found),
                found.rule,
                found.value,
                found.usual
            ));
        }
        say(&format!("read      {}", outcome.read));
        say(&format!("applied   {}", outcome.applied));
        say(&format!("repeated  {}", outcome.repeated_rows));
        say(&format!("restated  {}", outcome.restated));
        say(&format!("rejected  {}", outcome.rejected_count));
        for row in &outcome.rejected {
            complain(&format!("line {}: {}", row.line, row.reason));
        }
        say(&format!("held back {}", outcome.quarantined_count));
        for row in &outcome.quarantined {
            complain(&format!("line {}: held back: {}", row.line, row.reason));
        }
        Ok(if outcome.rejected_count == 0 {
            ExitCode::SUCCESS
        } else {
            EXIT_REJECTED.into()
        })
    }
}

fn read_signature(file: &Path) -> anyhow::Result<Vec<u8>> {
    let text = files::read_text(file)?;
    let decoded = BASE64_STANDARD.decode(text.trim());
    decoded.with_context(|| format!("{} has no base64", file.display()))
}

/// Sends a file piece by piece. If reading fails, the import ends there and changes nothing.
pub async fn import<R>(
    services: &Services,
    header: ImportHeader,
    file: R,
    limit: Duration,
) -> anyhow::Result<ImportDeliveryResponse>
where
    R: AsyncRead + Send + Unpin + 'static,
{
    let (failed, mut failure) = tokio::sync::mpsc::channel(1);
    let head = ImportDeliveryRequest {
        part: Some(Part::Header(header)),
    };
    let pieces = chunks(file).filter_map(move |chunk| {
        let failed = failed.clone();
        async move {
            match chunk {
                Ok(bytes) => Some(ImportDeliveryRequest {
                    part: Some(Part::Chunk(bytes)),
                }),
                Err(error) => {
                    let _ = failed.try_send(error);
                    None
                }
            }
        }
    });
    let messages = stream::once(async move { head }).chain(pieces);
    let caller = operator_within(limit);
    let mut client = services.plan_admin.clone();
    let outcome = client
        .import_delivery(outgoing(&caller, messages.boxed(), limit))
        .await;
    if let Ok(error) = failure.try_recv() {
        return Err(anyhow::Error::new(error).context("cannot read the file to its end"));
    }
    Ok(outcome.map_err(CallError::from)?.into_inner())
}

/// The pieces of a file, up to the first error.
fn chunks<R>(file: R) -> impl Stream<Item = std::io::Result<Vec<u8>>> + Send
where
    R: AsyncRead + Send + Unpin + 'static,
{
    let (sender, receiver) = tokio::sync::mpsc::channel(CHUNKS_IN_FLIGHT);
    tokio::spawn(async move {
        let mut file = file;
        loop {
            let mut bytes = Vec::with_capacity(CHUNK_BYTES);
            let piece = (&mut file)
                .take(CHUNK_BYTES as u64)
                .read_to_end(&mut bytes)
                .await;
            let (message, last) = match piece {
                Ok(0) => return,
                Ok(_) => (Ok(bytes), false),
                Err(error) => (Err(error), true),
            };
            if sender.send(message).await.is_err() || last {
                return;
            }
        }
    });
    stream::unfold(receiver, |mut receiver| async move {
        Some((receiver.recv().await?, receiver))
    })
}

fn format_of(file: &Path) -> anyhow::Result<Format> {
    let extension = file
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("csv") => Ok(Format::Csv),
        Some("jsonl" | "ndjson") => Ok(Format::Jsonl),
        _ => bail!(
            "{} ends neither in .csv nor in .jsonl: say --format",
            file.display()
        ),
    }
}

fn read_mapping(text: &str) -> anyhow::Result<String> {
    let json = if text.trim_start().starts_with('{') {
        text.to_owned()
    } else {
        let size = std::fs::metadata(text)
            .with_context(|| format!("cannot read the mapping {text}"))?
            .len();
        if size > LONGEST_MAPPING {
            bail!("the mapping {text} is too long");
        }
        std::fs::read_to_string(text).with_context(|| format!("cannot read the mapping {text}"))?
    };
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&json)
        .context("the mapping is not a JSON object")?;
    Ok(json)
}
