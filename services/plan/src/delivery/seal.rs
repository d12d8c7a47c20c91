//! The hash chain of reports.
//!
//! Reports that one transaction takes are a batch. Their digest is written with them, and a background job seals batches
//! in the order in which they arrived: each gets the next number and a hash that covers its digest and the hash before.
//! The digest is the SHA-256 of the UTF-8 text
//!
//! ```text
//! REPORT|SOURCE|REVISION|PLAN|TIME|IMPRESSIONS|CLICKS|SPEND|REVENUE|ESTIMATED|ORIGIN|RECEIVED|IMPORT|LINE
//! ```
//!
//! with one such line for each report, in the order of their bytes, joined by line feeds:
//!
//! - REPORT: SHA-256 of the report's id in lower-case hex, so that no text can stand for two;
//! - PLAN and IMPORT: UUIDs in lower case with hyphens; IMPORT and LINE are `-` where no file brought it;
//! - TIME and RECEIVED: RFC 3339 in UTC with exactly six decimals;
//! - SPEND and REVENUE: millionths of the currency; ESTIMATED: `true` or `false`.
//!
//! The line of a report that names a placement goes on with `|PLACEMENT`, a UUID like PLAN.
//!
//! What of a report is charged is left out, because it follows from all reports of the plan. `hash = SHA-256(hash before ‖
//! canonical bytes)`, where the hash before the first batch is 32 zero bytes, and the canonical bytes of a batch are the
//! UTF-8 text
//!
//! ```text
//! adfolio-reports-1|SEQ|COUNT|DIGEST
//! ```
//!
//! - SEQ: the batch's number in decimal, from 1 without a hole; COUNT: how many reports it has;
//! - DIGEST: in lower-case hex.
//!
//! Wallet publishes the newest hash with its checkpoints.

mod repo;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::hash_chain::{self, Hash, Place, Stored, Verification};
use chrono::{DateTime, SecondsFormat, Utc};
use sha2::{Digest as _, Sha256};

use super::entity::Report;
use crate::app::App;
use crate::error::PlanError;
use crate::ids::BatchId;

/// The head of the canonical bytes; another form would get another one.
const FORMAT: &str = "adfolio-reports-1";

/// Batches that one transaction seals; few in debug builds, so that tests cross from one to the next.
const SEAL_BATCHES: i64 = if cfg!(debug_assertions) { 5 } else { 500 };

/// Batches that one statement of a verification reads; few in debug builds, so that tests cross from page to page.
const VERIFY_PAGE: i64 = if cfg!(debug_assertions) { 3 } else { 50 };

/// Reports that one statement looks through for some without a seal.
const UNSEALED_PAGE: i64 = if cfg!(debug_assertions) { 4 } else { 100_000 };

/// A batch's place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    pub place: Place,
    pub batch: BatchId,
    /// How many reports it had.
    pub reports: i64,
}

/// A batch that waits for its seal.
#[derive(Clone, Copy, Debug)]
struct Batch {
    id: BatchId,
    /// How many reports it has.
    reports: i64,
    digest: Hash,
}

/// A report, with when it was received.
#[derive(Clone, Debug)]
struct Received {
    report: Report,
    at: DateTime<Utc>,
}

fn line(received: &Received) -> String {
    let Received { report, at } = received;
    let micros = |time: &DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Micros, true);
    let (import, line) = match report.brought_by {
        Some((import, line)) => (import.to_string(), line.to_string()),
        None => ("-".to_owned(), "-".to_owned()),
    };
    let placement = report.placement.map(|id| format!("|{id}"));
    let placement = placement.unwrap_or_default();
    format!(
        "{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{import}|{line}{placement}",
        hex::encode(Sha256::digest(&report.report_id)),
        report.source,
        report.revision,
        report.order_id,
        micros(&report.time),
        report.impressions,
        report.clicks,
        report.spend.get(),
        report.revenue.get(),
        report.estimated,
        report.origin.as_str(),
        micros(at),
    )
}

fn digest(batch: &[Received]) -> Hash {
    let mut lines: Vec<String> = batch.iter().map(line).collect();
    lines.sort_unstable();
    Sha256::digest(lines.join("\n")).into()
}

fn canonical_text(seq: i64, reports: i64, digest: &Hash) -> String {
    format!("{FORMAT}|{seq}|{reports}|{}", hex::encode(digest))
}

/// Writes the digest of a batch whose reports are written in the same transaction.
pub async fn add_in_tx(
    tx: &mut Tx,
    id: BatchId,
    reports: &[Report],
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    let received: Vec<Received> = reports
        .iter()
        .map(|report| Received {
            report: report.clone(),
            at: now,
        })
        .collect();
    let batch = Batch {
        id,
        reports: i64::try_from(received.len()).unwrap_or(i64::MAX),
        digest: digest(&received),
    };
    repo::add_unsealed_in_tx(tx, &batch).await
}

/// Seals batches that wait; answers how many. Replicas wait for each other.
pub async fn seal(app: &App) -> Result<usize, PlanError> {
    db::write(&app.pool, |tx| {
        Box::pin(async move {
            repo::lock_chain_in_tx(tx).await?;
            let batches = repo::take_unsealed_in_tx(tx, SEAL_BATCHES).await?;
            if batches.is_empty() {
                return Ok(0);
            }
            let head = repo::newest(&mut *tx).await?;
            let mut place = head.map_or(Place::START, |head| head.place);
            let mut seals = Vec::with_capacity(batches.len());
            for batch in &batches {
                place = place.next(|seq| canonical_text(seq, batch.reports, &batch.digest));
                seals.push(Seal {
                    place,
                    batch: batch.id,
                    reports: batch.reports,
                });
            }
            repo::add_seals_in_tx(tx, &seals).await?;
            Ok(seals.len())
        })
    })
    .await
}

/// Seals every batch that waits.
pub async fn seal_all(app: &App) -> Result<(), PlanError> {
    while seal(app).await? > 0 {}
    Ok(())
}

/// How many batches wait for their seal.
pub async fn waiting(app: &App) -> Result<i64, PlanError> {
    repo::count_waiting(&app.pool).await
}

/// The newest seal; none before the first.
pub async fn newest(app: &App) -> Result<Option<Place>, PlanError> {
    Ok(repo::newest(&app.pool).await?.map(|seal| seal.place))
}

/// How many reports in force have no seal. The release before took them.
pub async fn unsealed(app: &App) -> Result<u64, PlanError> {
    let (mut unsealed, mut after) = (0_u64, Some((String::new(), String::new())));
    while let Some(position) = after {
        let part = repo::unsealed_part(&app.reads, &position, UNSEALED_PAGE).await?;
        unsealed = unsealed.saturating_add(part.unsealed);
        after = part.next;
    }
    Ok(unsealed)
}

/// Recomputes the chain from the reports behind the number `after` up to and with `last`. What lies before is taken
/// from the seals as it is.
pub async fn verify(app: &App, after: i64, last: i64) -> Result<Verification, PlanError> {
    hash_chain::verify(after, last, |after, last| stored(app, after, last)).await
}

async fn stored(app: &App, after: i64, last: i64) -> Result<Vec<Stored>, PlanError> {
    let seals = repo::seals(&app.reads, after, last, VERIFY_PAGE).await?;
    let batches = repo::reports(&app.reads, &seals).await?;
    let stored = seals.iter().map(|seal| {
        let batch = batches.get(&seal.batch).map_or(&[][..], Vec::as_slice);
        let is_whole = i64::try_from(batch.len()) == Ok(seal.reports);
        Stored {
            place: seal.place,
            text: is_whole
                .then(|| canonical_text(seal.place.seq, seal.reports, &digest(batch)))
                .ok_or("number of reports does not fit"),
            items: seal.reports.unsigned_abs(),
        }
    });
    Ok(stored.collect())
}

#[cfg(test)]
mod tests {
    use adfolio_money::Micros;
    use uuid::Uuid;

    use super::*;
    use crate::delivery::entity::Origin;
    use crate::ids::{ImportId, OrderId, PlacementId};

    fn received() -> Received {
        Received {
            report: Report {
                source: "network-a".to_owned(),
                report_id: "r|1".to_owned(),
                revision: 2,
                order_id: OrderId(Uuid::from_u128(1)),
                time: "2026-11-26T09:30:00.12Z".parse().expect("an instant"),
                impressions: 10,
                clicks: 2,
                spend: Micros::new(12_500),
                charged: Micros::new(1),
                revenue: Micros::new(333_333),
                estimated: true,
                origin: Origin::Import,
                is_marked: true,
                brought_by: Some((ImportId(Uuid::from_u128(2)), 7)),
                placement: None,
            },
            at: "2026-11-26T10:00:00Z".parse().expect("an instant"),
        }
    }

    #[test]
    fn a_line_is_the_documented_one() {
        let expected = format!(
            "{}|network-a|2|00000000-0000-0000-0000-000000000001|2026-11-26T09:30:00.120000Z|10|2|12500|333333|true|\
             import|2026-11-26T10:00:00.000000Z|00000000-0000-0000-0000-000000000002|7",
            hex::encode(Sha256::digest("r|1")),
        );
        assert_eq!(line(&received()), expected);
        let mut sent = received();
        sent.report.brought_by = None;
        assert!(line(&sent).ends_with("|-|-"));
        sent.report.placement = Some(PlacementId(Uuid::from_u128(5)));
        assert!(line(&sent).ends_with("|-|-|00000000-0000-0000-0000-000000000005"));
    }

    #[test]
    fn everything_but_the_charge_changes_the_digest() {
        let of = |change: fn(&mut Received)| {
            let mut received = received();
            change(&mut received);
            digest(&[received])
        };
        let hashes = [
            of(|_| {}),
            of(|it| it.report.source.push('x')),
            of(|it| it.report.report_id.push('x')),
            of(|it| it.report.revision += 1),
            of(|it| it.report.order_id = OrderId(Uuid::nil())),
            of(|it| it.report.time += chrono::TimeDelta::microseconds(1)),
            of(|it| it.report.impressions += 1),
            of(|it| it.report.clicks += 1),
            of(|it| it.report.spend = Micros::new(1)),
            of(|it| it.report.revenue = Micros::new(1)),
            of(|it| it.report.estimated = false),
            of(|it| it.report.brought_by = Some((ImportId(Uuid::from_u128(2)), 8))),
            of(|it| it.report.brought_by = Some((ImportId(Uuid::nil()), 7))),
            of(|it| it.report.brought_by = None),
            of(|it| it.report.origin = Origin::Network),
            of(|it| it.report.placement = Some(PlacementId(Uuid::nil()))),
            of(|it| it.at += chrono::TimeDelta::microseconds(1)),
            digest(&[received(), received()]),
            digest(&[]),
        ];
        for (place, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..place].contains(hash), "{place}");
        }
        assert_eq!(
            of(|it| it.report.charged = Micros::new(2)),
            of(|_| {}),
            "the charge"
        );
    }

    #[test]
    fn the_canonical_text_is_the_documented_one() {
        let expected = format!("adfolio-reports-1|7|3|{}", "07".repeat(32));
        assert_eq!(canonical_text(7, 3, &[7; 32]), expected);
    }

    #[test]
    fn the_order_of_reports_does_not_matter() {
        let mut other = received();
        other.report.report_id.push('x');
        let [one, two] = [[received(), other.clone()], [other, received()]];
        assert_eq!(digest(&one), digest(&two));
    }
}
