//! The hash chain of the audit log.
//!
//! A background job seals entries in the order in which they arrived: each gets the next number and a hash that covers the
//! entry and the hash before. The canonical bytes of an entry are the UTF-8 text
//!
//! ```text
//! adfolio-audit-1|SEQ|ID|TIME|STAFF|ACTION|TARGET|USER|REASON|REQUEST|BEFORE|AFTER
//! ```
//!
//! - SEQ: the entry's number in decimal, from 1 without a hole;
//! - ID and STAFF: UUIDs in lower case with hyphens; USER likewise, or `-` for an entry about no user;
//! - TIME: RFC 3339 in UTC with exactly six decimals;
//! - the others: SHA-256 of the column's text in lower-case hex, so that no text can stand for two.
//!
//! `hash = SHA-256(hash before ‖ canonical bytes)`, where the hash before the first entry is 32 zero bytes. Wallet
//! publishes the newest hash with its checkpoints.

use adfolio_kit::db;
use adfolio_kit::hash_chain::{self, Place, Stored, Verification};
use chrono::SecondsFormat;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::entity::AuditEntry;
use super::repo;
use crate::app::App;
use crate::error::AuthError;

/// The head of the canonical bytes; another form would get another one.
const FORMAT: &str = "adfolio-audit-1";

/// Entries that one transaction seals; few in debug builds, so that tests cross from batch to batch.
const SEAL_BATCH: i64 = if cfg!(debug_assertions) { 5 } else { 500 };

/// Entries that one statement of a verification reads; few in debug builds, too.
const VERIFY_PAGE: i64 = if cfg!(debug_assertions) { 3 } else { 1_000 };

/// An entry's place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    pub place: Place,
    pub entry_id: Uuid,
}

/// A seal with the entry that it is of, unless that is gone.
#[derive(Clone, Debug)]
pub struct Sealed {
    pub seal: Seal,
    pub entry: Option<AuditEntry>,
}

fn canonical_text(seq: i64, entry: &AuditEntry) -> String {
    let digest = |text: &str| hex::encode(Sha256::digest(text));
    format!(
        "{FORMAT}|{seq}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}",
        entry.id,
        entry.acted_at.to_rfc3339_opts(SecondsFormat::Micros, true),
        entry.staff,
        digest(&entry.action),
        digest(&entry.target),
        entry
            .user
            .map_or_else(|| "-".to_owned(), |user| user.to_string()),
        digest(&entry.reason),
        digest(&entry.request_id),
        digest(&entry.before_json),
        digest(&entry.after_json),
    )
}

/// Seals a batch of the entries that have none; answers how many there were. Replicas wait for each other at the first
/// entry.
pub async fn seal(app: &App) -> Result<usize, AuthError> {
    db::write(&app.pool, |tx| {
        Box::pin(async move {
            let entries = repo::take_unsealed_in_tx(tx, SEAL_BATCH).await?;
            if entries.is_empty() {
                return Ok(0);
            }
            let head = repo::newest_seal(&mut *tx).await?;
            let mut place = head.map_or(Place::START, |head| head.place);
            let mut seals = Vec::with_capacity(entries.len());
            for entry in &entries {
                place = place.next(|seq| canonical_text(seq, entry));
                seals.push(Seal {
                    place,
                    entry_id: entry.id,
                });
            }
            repo::add_seals_in_tx(tx, &seals).await?;
            Ok(seals.len())
        })
    })
    .await
}

/// The newest seal; none before the first.
pub async fn newest(app: &App) -> Result<Option<Place>, AuthError> {
    Ok(repo::newest_seal(&app.pool).await?.map(|seal| seal.place))
}

/// Entries that wait for their seal.
pub async fn unsealed(app: &App) -> Result<i64, AuthError> {
    Ok(repo::count_unsealed(&app.reads).await?)
}

/// Recomputes the chain from the log behind the number `after` up to and with `last`. What lies before is taken from the
/// seals as it is.
pub async fn verify(app: &App, after: i64, last: i64) -> Result<Verification, AuthError> {
    hash_chain::verify(after, last, |after, last| stored(app, after, last)).await
}

async fn stored(app: &App, after: i64, last: i64) -> Result<Vec<Stored>, AuthError> {
    let page = repo::seals(&app.reads, after, last, VERIFY_PAGE).await?;
    let stored = page.into_iter().map(|Sealed { seal, entry }| Stored {
        place: seal.place,
        text: entry
            .map(|entry| canonical_text(seal.place.seq, &entry))
            .ok_or("entry is missing"),
        items: 1,
    });
    Ok(stored.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::StaffId;

    fn entry() -> AuditEntry {
        AuditEntry {
            id: Uuid::from_u128(1),
            acted_at: "2026-11-26T09:30:00.12Z".parse().expect("an instant"),
            staff: StaffId(Uuid::from_u128(2)),
            action: "wallet.deposit".to_owned(),
            target: "t".to_owned(),
            user: None,
            reason: String::new(),
            request_id: "r".to_owned(),
            before_json: String::new(),
            after_json: "{}".to_owned(),
        }
    }

    #[test]
    fn canonical_text_is_the_documented_one() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let digest = |text: &str| hex::encode(Sha256::digest(text));
        let expected = format!(
            "adfolio-audit-1|7|00000000-0000-0000-0000-000000000001|2026-11-26T09:30:00.120000Z|\
             00000000-0000-0000-0000-000000000002|{}|{}|-|{empty}|{}|{empty}|{}",
            digest("wallet.deposit"),
            digest("t"),
            digest("r"),
            digest("{}"),
        );
        assert_eq!(canonical_text(7, &entry()), expected);
    }

    #[test]
    fn every_column_changes_the_text() {
        let of = |change: fn(&mut AuditEntry)| {
            let mut entry = entry();
            change(&mut entry);
            canonical_text(1, &entry)
        };
        let texts = [
            of(|_| {}),
            of(|entry| entry.id = Uuid::from_u128(9)),
            of(|entry| entry.acted_at += chrono::TimeDelta::microseconds(1)),
            of(|entry| entry.staff = StaffId(Uuid::from_u128(9))),
            of(|entry| entry.action.push('x')),
            of(|entry| entry.target.push('x')),
            of(|entry| entry.user = Some(adfolio_kit::identity::UserId(Uuid::nil()))),
            of(|entry| entry.reason.push('x')),
            of(|entry| entry.request_id.push('x')),
            of(|entry| entry.before_json.push('x')),
            of(|entry| entry.after_json.push('x')),
            canonical_text(2, &entry()),
        ];
        for (place, text) in texts.iter().enumerate() {
            assert!(!texts[..place].contains(text), "{place}");
        }
    }
}
