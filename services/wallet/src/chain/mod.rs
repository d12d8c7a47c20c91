//! Verification of the hash chains, from the books alone.

pub mod details;
pub mod entity;
mod repo;

use std::collections::BTreeMap;

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;

use crate::app::App;
use crate::error::WalletError;
use entity::{Break, Head, Walk};
pub(crate) use repo::chain_link;

/// Users that are walked at once; few in debug builds, so that tests cross from page to page.
const USERS_PAGE: i64 = if cfg!(debug_assertions) { 7 } else { 200 };

/// Transactions that one statement reads, so that it stays far inside the statement limit; few in debug builds, too.
const LINKS_PAGE: i64 = if cfg!(debug_assertions) { 11 } else { 5_000 };

/// Broken chains that one verification reports at most.
const BREAKS_MAX: usize = 100;

/// What was verified.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// Chains read.
    pub users: u64,
    pub transactions: u64,
    /// Chains that do not fit, the first hundred.
    pub broken: Vec<Break>,
}

/// The hashed texts of a user's transactions behind a number, up to and with another.
pub async fn texts(
    pool: &Pool,
    user_id: UserId,
    after: i64,
    last: i64,
) -> Result<Vec<String>, WalletError> {
    let count = last.saturating_sub(after).max(0);
    let links = repo::links(pool, (user_id, after), user_id, count).await?;
    Ok(links.iter().map(entity::Link::canonical_text).collect())
}

/// Verifies the chain of one user, or of all. Postings may go on meanwhile: a chain is followed up to the head that the
/// wallet had before its transactions were read.
pub async fn verify(app: &App, only: Option<UserId>) -> Result<Verification, WalletError> {
    let mut verification = Verification::default();
    let mut after = None;
    loop {
        let heads = repo::heads(&app.reads, only, after, USERS_PAGE).await?;
        let (Some(first), Some(last)) = (heads.first(), heads.last()) else {
            return Ok(verification);
        };
        let range = (first.user_id, last.user_id);
        after = Some(last.user_id);
        verify_users(&app.reads, range, heads, &mut verification).await?;
    }
}

/// Walks the chains of a page of users, who are all the users between the first and the last.
async fn verify_users(
    pool: &Pool,
    (first, last): (UserId, UserId),
    heads: Vec<Head>,
    verification: &mut Verification,
) -> Result<(), WalletError> {
    let mut walks: BTreeMap<UserId, Walk> = heads
        .into_iter()
        .map(|head| (head.user_id, Walk::new(head)))
        .collect();
    let mut after = (first, 0);
    loop {
        let links = repo::links(pool, after, last, LINKS_PAGE).await?;
        let Some(end) = links.last() else { break };
        after = (end.user_id, end.seq);
        for link in &links {
            verification.transactions = verification.transactions.saturating_add(1);
            if let Some(walk) = walks.get_mut(&link.user_id) {
                walk.step(link);
            }
        }
    }
    for walk in walks.into_values() {
        verification.users = verification.users.saturating_add(1);
        if let Some(found) = walk.finish()
            && verification.broken.len() < BREAKS_MAX
        {
            verification.broken.push(found);
        }
    }
    Ok(())
}
