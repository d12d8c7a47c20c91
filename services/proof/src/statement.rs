//! A statement's chain, recomputed from the CSV file alone.
//!
//! The hashed text of a transaction is
//! `adfolio-chain-1|USER|SEQ|TIME|ID|TYPE|AVAILABLE|TO_BE_CONSUMED|TO_BE_SETTLED|WITHDRAWING`, and
//! `hash = SHA-256(hash before ‖ text)`.

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::tree::{Hash, Head, parse_hash};

const FORMAT: &str = "adfolio-chain-1";

/// What is wrong with a statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// It is no statement.
    #[error("not a statement: {0}")]
    Malformed(String),
    /// It has no transaction.
    #[error("the statement has no transactions")]
    Empty,
    /// A transaction's content is not what its hash covers.
    #[error("transaction {0} is not what its hash covers")]
    Changed(i64),
    /// Transactions are missing, or out of order.
    #[error("transaction {0} does not follow the one before")]
    Gap(i64),
    /// It has transactions of several users.
    #[error("transaction {0} belongs to another user")]
    User(i64),
}

#[derive(Deserialize)]
struct Row {
    user_id: Uuid,
    sequence: i64,
    time: String,
    transaction_id: String,
    r#type: String,
    available_change: String,
    to_be_consumed_change: String,
    to_be_settled_change: String,
    withdrawing_change: String,
    previous_hash: String,
    hash: String,
}

impl Row {
    fn text(&self) -> Option<String> {
        let mut text = format!(
            "{FORMAT}|{}|{}|{}|{}|{}",
            self.user_id, self.sequence, self.time, self.transaction_id, self.r#type
        );
        let changes = [
            &self.available_change,
            &self.to_be_consumed_change,
            &self.to_be_settled_change,
            &self.withdrawing_change,
        ];
        for change in changes {
            text.push('|');
            text.push_str(&minor(change)?.to_string());
        }
        Some(text)
    }
}

/// `-12.50` is -1250.
fn minor(text: &str) -> Option<i64> {
    let (units, cents) = text.split_once('.')?;
    if cents.len() != 2 {
        return None;
    }
    format!("{units}{cents}").parse().ok()
}

/// A stretch of one user's chain whose hashes fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Whose it is.
    pub user_id: Uuid,
    /// Number of the first transaction.
    pub first: i64,
    /// The hash before it.
    pub before: Hash,
    hashes: Vec<Hash>,
}

impl Chain {
    /// Recomputes the chain of statements of one user, the oldest first, each going on where the one before ends.
    pub fn read<'a>(
        statements: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Self, StatementError> {
        let mut chain: Option<Self> = None;
        for statement in statements {
            let mut reader = csv::Reader::from_reader(statement);
            for row in reader.deserialize() {
                let row: Row = row.map_err(|error| StatementError::Malformed(error.to_string()))?;
                match &mut chain {
                    Some(chain) => chain.follow(&row)?,
                    None => chain = Some(Self::begin(&row)?),
                }
            }
        }
        chain.ok_or(StatementError::Empty)
    }

    fn begin(row: &Row) -> Result<Self, StatementError> {
        let before = parse_hash(&row.previous_hash).ok_or_else(|| malformed(row))?;
        // The chain begins with zeros, and only with zeros.
        if row.sequence < 1 || (row.sequence == 1) != (before == [0; 32]) {
            return Err(StatementError::Gap(row.sequence));
        }
        let mut chain = Self {
            user_id: row.user_id,
            first: row.sequence,
            before,
            hashes: Vec::new(),
        };
        chain.follow(row)?;
        Ok(chain)
    }

    fn follow(&mut self, row: &Row) -> Result<(), StatementError> {
        if row.user_id != self.user_id {
            return Err(StatementError::User(row.sequence));
        }
        let previous = parse_hash(&row.previous_hash);
        if row.sequence != self.next() || previous != Some(self.end()) {
            return Err(StatementError::Gap(row.sequence));
        }
        let text = row.text().ok_or_else(|| malformed(row))?;
        let hash = following(self.end(), &text);
        if parse_hash(&row.hash) != Some(hash) {
            return Err(StatementError::Changed(row.sequence));
        }
        self.hashes.push(hash);
        Ok(())
    }

    fn next(&self) -> i64 {
        let count = i64::try_from(self.hashes.len()).unwrap_or(i64::MAX);
        self.first.saturating_add(count)
    }

    /// Number of the last transaction.
    pub fn last(&self) -> i64 {
        self.next().saturating_sub(1)
    }

    fn end(&self) -> Hash {
        self.hashes.last().copied().unwrap_or(self.before)
    }

    /// Whether this chain leads to a published head: one of its own hashes, or what follows from its end with the hashed
    /// texts of the transactions in between.
    pub fn leads_to(&self, head: &Head, links: &[String]) -> bool {
        if head.user_id != self.user_id || head.seq < self.first {
            return false;
        }
        if head.seq <= self.last() {
            let place = usize::try_from(head.seq.saturating_sub(self.first)).ok();
            return place.and_then(|place| self.hashes.get(place)) == Some(&head.hash);
        }
        let missing = head.seq.saturating_sub(self.last());
        if usize::try_from(missing) != Ok(links.len()) {
            return false;
        }
        let mut end = self.end();
        for (seq, text) in (self.next()..).zip(links) {
            if !text.starts_with(&format!("{FORMAT}|{}|{seq}|", self.user_id)) {
                return false;
            }
            end = following(end, text);
        }
        end == head.hash
    }
}

fn malformed(row: &Row) -> StatementError {
    StatementError::Malformed(format!("transaction {}", row.sequence))
}

fn following(previous: Hash, text: &str) -> Hash {
    let mut hash = Sha256::new();
    hash.update(previous);
    hash.update(text);
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str = "0193b2a4-5a00-7000-8000-0000000000aa";
    const HEADER: &str = "sequence,time,transaction_id,type,available_change,to_be_consumed_change,to_be_settled_change,withdrawing_change,available,to_be_consumed,to_be_settled,withdrawing,reference,remark,previous_hash,hash,user_id\n";

    fn text(seq: i64) -> String {
        format!(
            "adfolio-chain-1|{USER}|{seq}|2026-11-21T09:30:00.120000Z|t{seq}|hold|-60000|70000|0|5"
        )
    }

    /// Rows of a statement, and the hash at the end.
    fn rows(seqs: std::ops::RangeInclusive<i64>, mut previous: Hash) -> (String, Hash) {
        let mut rows = HEADER.to_owned();
        for seq in seqs {
            let hash = following(previous, &text(seq));
            let (before, after) = (hex::encode(previous), hex::encode(hash));
            let row = format!(
                "{seq},2026-11-21T09:30:00.120000Z,t{seq},hold,-600.00,700.00,0.00,0.05,1.00,2.00,3.00,4.00,,\"a, remark\",{before},{after},{USER}\n"
            );
            rows += &row;
            previous = hash;
        }
        (rows, previous)
    }

    fn read(parts: &[&str]) -> Result<Chain, StatementError> {
        Chain::read(parts.iter().map(|part| part.as_bytes()))
    }

    #[test]
    fn statements_follow_each_other_and_any_change_is_found() {
        let (may, end) = rows(1..=3, [0; 32]);
        let (june, _) = rows(4..=5, end);
        let chain = read(&[&may, &june]).expect("a chain");
        assert_eq!((chain.first, chain.last()), (1, 5));
        assert_eq!(read(&[&june, &may]), Err(StatementError::Gap(1)));
        assert_eq!(read(&[HEADER]), Err(StatementError::Empty));
        let changed = may.replacen("-600.00", "-600.01", 1);
        assert_eq!(read(&[&changed]), Err(StatementError::Changed(1)));
        let lines: Vec<&str> = may.lines().collect();
        let dropped = [lines[0], lines[1], lines[3]].join("\n");
        assert_eq!(read(&[&dropped]), Err(StatementError::Gap(3)));
        let (elsewhere, _) = rows(1..=1, [1; 32]);
        assert_eq!(read(&[&elsewhere]), Err(StatementError::Gap(1)));
        let stranger = may.replacen(USER, "0193b2a4-5a00-7000-8000-0000000000ab", 1);
        assert_eq!(read(&[&stranger]), Err(StatementError::Changed(1)));
        assert!(matches!(
            read(&["sequence\n1\n"]),
            Err(StatementError::Malformed(_))
        ));
    }

    #[test]
    fn a_chain_leads_to_heads_in_it_and_behind_it() {
        let (may, end) = rows(1..=3, [0; 32]);
        let (_, later) = rows(4..=5, end);
        let chain = read(&[&may]).expect("a chain");
        let head = |seq, hash| Head {
            user_id: chain.user_id,
            seq,
            hash,
        };
        let links = [text(4), text(5)];
        assert!(chain.leads_to(&head(3, end), &[]));
        assert!(chain.leads_to(&head(5, later), &links));
        assert!(!chain.leads_to(&head(2, end), &[]));
        assert!(!chain.leads_to(&head(5, later), &links[..1]));
        assert!(!chain.leads_to(&head(5, later), &[text(5), text(4)]));
        assert!(!chain.leads_to(&head(5, end), &links));
        let other = Head {
            user_id: Uuid::nil(),
            ..head(3, end)
        };
        assert!(!chain.leads_to(&other, &[]));
    }
}
