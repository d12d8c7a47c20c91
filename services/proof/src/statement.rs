//! A statement's chain, recomputed from the CSV file alone.
//!
//! `hash = SHA-256(hash before ‖ text)`, where the text of a transaction is
//! `adfolio-chain-2|USER|SEQ|TIME|ID|TYPE|AVAILABLE|TO_BE_CONSUMED|TO_BE_SETTLED|WITHDRAWING|GUARANTEE|DETAILS`, and
//! DETAILS is SHA-256 in hex of `adfolio-details-1|REFERENCE|REMARK|UNDISCLOSED`: the reference or `-`, SHA-256 in hex of
//! the remark or `-`, and the column `undisclosed`, which stands for what statements do not show.
//!
//! A transaction without details is of version 1, which covers neither reference nor remark and knows no guarantee:
//! `adfolio-chain-1|USER|SEQ|TIME|ID|TYPE|AVAILABLE|TO_BE_CONSUMED|TO_BE_SETTLED|WITHDRAWING`. Older statements have none
//! of the newer columns.

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::tree::{Hash, Head, parse_hash};

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
    #[serde(default)]
    reference: String,
    #[serde(default)]
    remark: String,
    #[serde(default)]
    guarantee_change: String,
    #[serde(default)]
    details: String,
    #[serde(default)]
    undisclosed: String,
}

impl Row {
    /// The text that the hash covers.
    fn text(&self) -> Result<String, StatementError> {
        let minor = |change: &str| minor(change).ok_or_else(|| malformed(self));
        let version = if self.details.is_empty() { 1 } else { 2 };
        let mut text = format!(
            "adfolio-chain-{version}|{}|{}|{}|{}|{}",
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
        if version == 1 {
            let shows_guarantee =
                !self.guarantee_change.is_empty() && minor(&self.guarantee_change)? != 0;
            return if shows_guarantee {
                Err(StatementError::Changed(self.sequence))
            } else {
                Ok(text)
            };
        }
        if !self.is_detailed() {
            return Err(StatementError::Changed(self.sequence));
        }
        let guarantee = minor(&self.guarantee_change)?;
        Ok(format!("{text}|{guarantee}|{}", self.details))
    }

    /// Whether the details are of the reference and the remark that the statement shows.
    fn is_detailed(&self) -> bool {
        let reference = Some(self.reference.as_str()).filter(|reference| !reference.is_empty());
        let reference = reference.unwrap_or("-");
        let details_of = |remark: &str| {
            let remark = match remark {
                "" => "-".to_owned(),
                remark => hex::encode(Sha256::digest(remark)),
            };
            let undisclosed = &self.undisclosed;
            let text = format!("adfolio-details-1|{reference}|{remark}|{undisclosed}");
            hex::encode(Sha256::digest(text))
        };
        // Statements put an apostrophe before what a spreadsheet would run as a formula.
        let written = self.remark.strip_prefix('\'').into_iter();
        let mut remarks = std::iter::once(self.remark.as_str()).chain(written);
        remarks.any(|remark| details_of(remark) == self.details)
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
        let text = row.text()?;
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
            let is_next = |version: u8| {
                text.starts_with(&format!("adfolio-chain-{version}|{}|{seq}|", self.user_id))
            };
            if !is_next(1) && !is_next(2) {
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

    const NEW_HEADER: &str = "sequence,time,transaction_id,type,available_change,to_be_consumed_change,to_be_settled_change,withdrawing_change,reference,remark,previous_hash,hash,user_id,guarantee_change,details,undisclosed\n";

    /// A row of version 2 behind that hash, and the hash at its end. Its hashes were computed with sha256sum.
    const NEW_ROW: (&str, &str) = (
        "1,2026-11-21T09:30:00.120000Z,t1,guarantee_deposit,-50.00,0.00,0.00,0.00,,'=a remark,0000000000000000000000000000000000000000000000000000000000000000,cba75d558b55bde4552a8bb2ed15346b6060a448de448dd256479b8c8394ce5e,0193b2a4-5a00-7000-8000-0000000000aa,50.00,03797c0c535f7c055cf67a1cc1cb994d1ea04b91dc8f75aa52cf281bdb5ce24b,1bfbdf07b48f4b49662a7d2b46985fc6dd63604911554d5762acbe861d8d9db8\n",
        "cba75d558b55bde4552a8bb2ed15346b6060a448de448dd256479b8c8394ce5e",
    );

    #[test]
    fn version_2_covers_what_a_statement_shows() {
        let statement = format!("{NEW_HEADER}{}", NEW_ROW.0);
        let chain = read(&[&statement]).expect("a chain");
        assert_eq!(hex::encode(chain.end()), NEW_ROW.1);
        for (shown, other) in [
            ("'=a remark", "'=another remark"),
            ("'=a remark", ""),
            ("0.00,,'", "0.00,0193b2a4-5a00-7000-8000-0000000000ac,'"),
            (",50.00,", ",49.00,"),
            (
                "1bfbdf07b48f4b49662a7d2b46985fc6dd63604911554d5762acbe861d8d9db8",
                "",
            ),
            (
                "03797c0c535f7c055cf67a1cc1cb994d1ea04b91dc8f75aa52cf281bdb5ce24b",
                "",
            ),
        ] {
            let changed = statement.replacen(shown, other, 1);
            assert_ne!(changed, statement);
            assert_eq!(
                read(&[&changed]),
                Err(StatementError::Changed(1)),
                "{other}"
            );
        }
        // Version 1 knows no guarantee.
        let (old, _) = rows(1..=1, [0; 32]);
        let old = old.replace("user_id\n", "user_id,guarantee_change,details\n");
        let with = |change: &str| old.replace(&format!("{USER}\n"), &format!("{USER},{change},\n"));
        assert!(read(&[&with("0.00")]).is_ok());
        assert_eq!(read(&[&with("5.00")]), Err(StatementError::Changed(1)));
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
