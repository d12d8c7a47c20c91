//! The hash chain of a user: rules to recompute it from what a user, an auditor or an event's receiver sees.
//!
//! `hash = SHA-256(hash before ‖ canonical text in UTF-8)`, where the hash before a user's first transaction is 32 zero
//! bytes. Each transaction is of a version. The canonical text of version 2 is
//!
//! ```text
//! adfolio-chain-2|USER|SEQ|TIME|ID|TYPE|AVAILABLE|TO_BE_CONSUMED|TO_BE_SETTLED|WITHDRAWING|GUARANTEE|DETAILS
//! ```
//!
//! - USER and ID: the user's and the transaction's id, UUIDs in lower case with hyphens;
//! - SEQ: the transaction's number in the user's chain in decimal, from 1 without a hole;
//! - TIME: RFC 3339 in UTC with exactly six decimals, `2026-11-21T09:30:00.123456Z`;
//! - TYPE: `deposit`, `hold`, `consume`, `accrue`, `release`, `settle`, `withdraw`, `withdrawal_paid`,
//!   `withdrawal_rejected`, `chargeback`, `recharge_deduction`, `membership`, `exchange_debit`, `exchange_return`,
//!   `exchange_credit`, `start_up_grant`, `start_up_return`, `guarantee_deposit` or `guarantee_return`;
//! - the changes of the five balances in minor units in decimal, with a `-` where negative and no sign otherwise;
//! - DETAILS: SHA-256 in lower-case hex of the text
//!
//! ```text
//! adfolio-details-1|REFERENCE|REMARK|UNDISCLOSED
//! ```
//!
//! - REFERENCE: the order, or else the withdrawal or exchange order that the transaction belongs to, a UUID;
//! - REMARK: SHA-256 in lower-case hex of the remark in UTF-8; an empty remark counts as absent;
//! - UNDISCLOSED: SHA-256 in lower-case hex of the text
//!
//! ```text
//! adfolio-undisclosed-1|PLATFORM_ACCOUNT|PLATFORM_CHANGE|FEE|FLOW_TYPE|ORDER|ORDER_VERSION|REFERENCE|KEY|REQUEST|STAFF
//! ```
//!
//! Its parts are the columns of `transactions`: names as they stand there, numbers in decimal, UUIDs as above, KEY as
//! SHA-256 in lower-case hex of the idempotency key in UTF-8, REQUEST as the request's digest in lower-case hex. Here
//! REFERENCE is the column alone. What is absent is `-` in every text. So the hash covers every column but those that
//! follow from others: the balances after the transaction. Who has a statement verifies reference and remark with
//! UNDISCLOSED and learns no member of staff and no key; who has the database recomputes all of it.
//!
//! The canonical text of version 1, of transactions before the guarantee, is
//!
//! ```text
//! adfolio-chain-1|USER|SEQ|TIME|ID|TYPE|AVAILABLE|TO_BE_CONSUMED|TO_BE_SETTLED|WITHDRAWING
//! ```
//!
//! A transaction of version 1 never changes the guarantee. In a chain, versions may alternate: while an upgrade lasts,
//! replicas of both releases post.
//!
//! The event `adfolio.wallet.v1.TransactionPosted` carries every part of the canonical text in this form.

use std::fmt::{self, Display};

use adfolio_kit::identity::UserId;
use chrono::{DateTime, SecondsFormat, Utc};

use super::details::{Details, Hex, sha256};
use crate::ids::TransactionId;

pub type Hash = [u8; 32];

/// The hash before a user's first transaction.
pub const GENESIS: Hash = [0; 32];

/// The version of transactions that are posted now.
pub const VERSION: i16 = 2;

/// A transaction as its hash covers it, with what the books say of the balances after it.
#[derive(Clone, Debug)]
pub struct Link {
    pub user_id: UserId,
    pub seq: i64,
    pub posted_at: DateTime<Utc>,
    pub id: TransactionId,
    pub kind: String,
    pub version: i16,
    /// Changes of the five balances: available, to be consumed, to be settled, withdrawing, guarantee.
    pub changes: [i64; 5],
    /// Of version 2; the hash of version 1 does not cover them.
    pub details: Option<Details>,
    /// The first four balances.
    pub after: [i64; 4],
    /// The hash in the books.
    pub hash: Vec<u8>,
}

/// What the hash of a transaction covers, besides the one before.
#[derive(Clone, Copy, Debug)]
pub struct Sealing<'a> {
    pub user_id: UserId,
    pub seq: i64,
    pub posted_at: DateTime<Utc>,
    pub id: TransactionId,
    pub kind: &'a str,
    /// Changes of the five balances: available, to be consumed, to be settled, withdrawing, guarantee.
    pub changes: [i64; 5],
    /// None in version 1.
    pub details: Option<&'a Hash>,
}

/// The canonical text.
impl Display for Sealing<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            user_id,
            seq,
            id,
            kind,
            ..
        } = self;
        let [
            available,
            to_be_consumed,
            to_be_settled,
            withdrawing,
            guarantee,
        ] = self.changes;
        let time = self.posted_at.to_rfc3339_opts(SecondsFormat::Micros, true);
        let version = if self.details.is_some() { 2 } else { 1 };
        write!(
            formatter,
            "adfolio-chain-{version}|{user_id}|{seq}|{time}|{id}|{kind}\
             |{available}|{to_be_consumed}|{to_be_settled}|{withdrawing}"
        )?;
        match self.details {
            Some(details) => write!(formatter, "|{guarantee}|{}", Hex(details)),
            None => Ok(()),
        }
    }
}

impl Sealing<'_> {
    /// The hash that follows from the one before.
    pub fn hash_after(&self, previous: &Hash) -> Hash {
        sha256(previous, self)
    }
}

impl Link {
    /// The hash that follows from the one before.
    pub fn hash_after(&self, previous: &Hash) -> Hash {
        self.sealing().hash_after(previous)
    }

    /// The text that its hash covers, besides the hash before.
    pub fn canonical_text(&self) -> String {
        self.sealing().to_string()
    }

    fn sealing(&self) -> Sealing<'_> {
        Sealing {
            user_id: self.user_id,
            seq: self.seq,
            posted_at: self.posted_at,
            id: self.id,
            kind: &self.kind,
            changes: self.changes,
            details: self.details.as_ref().map(|details| &details.hash),
        }
    }

    /// Why no hash can fit, whatever it is.
    fn fault(&self) -> Option<&'static str> {
        match (self.version, self.changes) {
            (1, [.., 0]) | (2, _) => None,
            (1, _) => Some("guarantee changes in version 1, whose hash does not cover it"),
            _ => Some("version is unknown"),
        }
    }
}

/// The head of a chain by the user's wallet.
#[derive(Clone, Debug)]
pub struct Head {
    pub user_id: UserId,
    /// Number of the last transaction.
    pub seq: i64,
    /// Hash of the last transaction.
    pub hash: Vec<u8>,
    /// The five balances.
    pub balances: [i64; 5],
}

/// Follows one user's chain from its beginning.
#[derive(Debug)]
pub struct Walk {
    head: Head,
    seq: i64,
    hash: Hash,
    balances: [i64; 5],
    broken: Option<Break>,
}

/// Where a chain does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    pub user_id: UserId,
    /// The first number that does not fit.
    pub seq: i64,
    pub detail: &'static str,
}

impl Walk {
    pub fn new(head: Head) -> Self {
        Self {
            head,
            seq: 0,
            hash: GENESIS,
            balances: [0; 5],
            broken: None,
        }
    }

    /// The next transaction; what lies behind the head (posted after the head was read) is left out.
    pub fn step(&mut self, link: &Link) {
        if self.broken.is_some() || link.seq > self.head.seq {
            return;
        }
        let expected = self.seq.saturating_add(1);
        if link.seq != expected {
            self.fail(expected, "transaction is missing");
            return;
        }
        let hash = link.hash_after(&self.hash);
        let sums = add(self.balances, link.changes);
        if let Some(fault) = link.fault() {
            self.fail(expected, fault);
        } else if link.hash != hash {
            self.fail(expected, "hash does not fit the content");
        } else if sums.is_none_or(|sums| !sums.starts_with(&link.after)) {
            self.fail(expected, "balances after do not follow from the change");
        }
        self.seq = expected;
        self.hash = hash;
        self.balances = sums.unwrap_or_default();
    }

    /// Compares the end with the wallet's head.
    pub fn finish(mut self) -> Option<Break> {
        if self.broken.is_none() {
            if self.seq != self.head.seq {
                self.fail(self.seq.saturating_add(1), "transaction is missing");
            } else if self.hash.as_slice() != self.head.hash {
                self.fail(self.seq, "wallet's chain head is another");
            } else if self.balances != self.head.balances {
                self.fail(self.seq, "wallet's balances are others");
            }
        }
        self.broken
    }

    fn fail(&mut self, seq: i64, detail: &'static str) {
        self.broken = Some(Break {
            user_id: self.head.user_id,
            seq,
            detail,
        });
    }
}

fn add(balances: [i64; 5], changes: [i64; 5]) -> Option<[i64; 5]> {
    let mut sums = [0; 5];
    for (sum, (balance, change)) in sums.iter_mut().zip(balances.into_iter().zip(changes)) {
        *sum = balance.checked_add(change)?;
    }
    Some(sums)
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};
    use uuid::Uuid;

    use super::*;
    use crate::chain::details::Columns;
    use crate::posting::transaction_type::TransactionType;

    const COLUMNS: Columns<'static> = Columns {
        platform_account: None,
        platform_change: 0,
        fee: 0,
        flow_type: Some("ad_serving"),
        order_id: Some(Uuid::from_u128(7)),
        order_version: Some(0),
        reference: None,
        idempotency_key: None,
        request_digest: None,
        staff_id: None,
        remark: "",
    };

    fn link(seq: i64, changes: [i64; 5], after: [i64; 4], previous: &Hash) -> Link {
        let mut link = Link {
            user_id: "0193b2a4-5a00-7000-8000-0000000000aa"
                .parse()
                .expect("an id"),
            seq,
            posted_at: "2026-11-21T09:30:00.12Z".parse().expect("an instant"),
            id: "0193b2a4-5a00-7000-8000-0000000000bb"
                .parse()
                .expect("an id"),
            kind: "hold".into(),
            version: 2,
            changes,
            details: Some(COLUMNS.details()),
            after,
            hash: Vec::new(),
        };
        link.hash = link.hash_after(previous).to_vec();
        link
    }

    fn as_version_1(link: &Link, previous: &Hash) -> Link {
        let mut link = Link {
            version: 1,
            details: None,
            ..link.clone()
        };
        link.hash = link.hash_after(previous).to_vec();
        link
    }

    #[test]
    fn canonical_texts_are_the_documented_ones() {
        let link = link(7, [-60_000, 70_000, 0, 0, 0], [0; 4], &GENESIS);
        let old = as_version_1(&link, &GENESIS);
        let ids = "0193b2a4-5a00-7000-8000-0000000000aa|7|2026-11-21T09:30:00.120000Z|\
                   0193b2a4-5a00-7000-8000-0000000000bb";
        assert_eq!(
            old.canonical_text(),
            format!("adfolio-chain-1|{ids}|hold|-60000|70000|0|0")
        );
        // Computed outside: sha256sum over 32 zero bytes and this text.
        assert_eq!(
            hex::encode(old.hash_after(&GENESIS)),
            "40db7a7a9c19f72601c2b78715ffa97336b20b06a29022ade4e44c6323e48a41"
        );
        // Computed outside, too: of adfolio-undisclosed-1|-|0|0|ad_serving|…07|0|-|-|-|-, and then of
        // adfolio-details-1|…07|-| and that hash.
        let details = "3ff8681ff7dcf75c975ed2b58adbfda7b473417024756a757f539bfd97df67cc";
        assert_eq!(
            link.canonical_text(),
            format!("adfolio-chain-2|{ids}|hold|-60000|70000|0|0|0|{details}")
        );
    }

    /// A line of the vectors: of version 2 with the texts behind its details, and the free texts in them in hex.
    fn check_vector(line: &str, kind: TransactionType) {
        let parts: Vec<&str> = line.split(' ').collect();
        let (before, text, hash) = (parts[0], parts[1], parts[2]);
        let fields: Vec<&str> = text.split('|').collect();
        let number = |place: usize| fields[place].parse::<i64>().expect("a number");
        let details = parts.get(3..7).map(vector_details);
        let balances = if details.is_some() { 5 } else { 4 };
        let mut changes = [0; 5];
        for (change, place) in changes.iter_mut().zip(6..6 + balances) {
            *change = number(place);
        }
        let sealing = Sealing {
            user_id: fields[1].parse().expect("an id"),
            seq: number(2),
            posted_at: fields[3].parse().expect("an instant"),
            id: fields[4].parse().expect("an id"),
            kind: kind.as_str(),
            changes,
            details: details.as_ref().map(|details| &details.hash),
        };
        assert_eq!(sealing.to_string(), text);
        let before: Hash = hex::decode(before)
            .expect("hex")
            .try_into()
            .expect("32 bytes");
        assert_eq!(hex::encode(sealing.hash_after(&before)), hash, "{text}");
    }

    fn vector_details(parts: &[&str]) -> Details {
        let (undisclosed, free) = (parts[0], |place: usize| {
            let bytes = hex::decode(parts[place].trim_start_matches('-')).expect("hex");
            String::from_utf8(bytes).expect("text")
        });
        let fields: Vec<&str> = undisclosed.split('|').collect();
        let field = |place: usize| Some(fields[place]).filter(|field| *field != "-");
        let id = |place| field(place).map(|id| id.parse().expect("an id"));
        let number = |place| field(place).map(|number| number.parse().expect("a number"));
        let (key, remark) = (free(2), free(3));
        let digest = field(9).map(|digest| hex::decode(digest).expect("hex"));
        let columns = Columns {
            platform_account: field(1),
            platform_change: number(2).expect("a change"),
            fee: number(3).expect("a fee"),
            flow_type: field(4),
            order_id: id(5),
            order_version: number(6),
            reference: id(7),
            idempotency_key: field(8).map(|_| key.as_str()),
            request_digest: digest.as_deref(),
            staff_id: id(10),
            remark: &remark,
        };
        let details = columns.details();
        let hash = |text: &str| -> Hash { Sha256::digest(text).into() };
        assert_eq!(details.undisclosed, hash(undisclosed));
        assert_eq!(details.hash, hash(parts[1]));
        details
    }

    #[test]
    fn hashes_are_those_that_were_ever_written() {
        let lines: Vec<&str> = include_str!("vectors.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        let (old, new): (Vec<&str>, Vec<&str>) = lines
            .into_iter()
            .partition(|line| line.contains("adfolio-chain-1|"));
        // Version 1 never had a guarantee.
        assert_eq!((old.len(), new.len()), (17, TransactionType::ALL.len()));
        for lines in [old, new] {
            for (line, kind) in lines.into_iter().zip(TransactionType::ALL) {
                check_vector(line, *kind);
            }
        }
    }

    #[test]
    fn every_column_is_covered() {
        let details = COLUMNS.details();
        let changes: [fn(&mut Columns<'static>); 11] = [
            |it| it.platform_account = Some("promotions"),
            |it| it.platform_change = 1,
            |it| it.fee = 1,
            |it| it.flow_type = None,
            |it| it.order_id = None,
            |it| it.order_version = Some(1),
            |it| it.reference = Some(Uuid::from_u128(7)),
            |it| it.idempotency_key = Some(""),
            |it| it.request_digest = Some(&[0]),
            |it| it.staff_id = Some(Uuid::from_u128(7)),
            |it| it.remark = "-",
        ];
        for (place, change) in changes.into_iter().enumerate() {
            let mut columns = COLUMNS;
            change(&mut columns);
            assert_ne!(columns.details().hash, details.hash, "{place}");
        }
    }

    fn chain() -> (Head, Vec<Link>) {
        let first = link(1, [100, 0, 0, 0, 0], [100, 0, 0, 0], &GENESIS);
        let previous = first.hash.clone().try_into().expect("32 bytes");
        let second = link(2, [-40, 30, 0, 0, 10], [60, 30, 0, 0], &previous);
        let head = Head {
            user_id: first.user_id,
            seq: 2,
            hash: second.hash.clone(),
            balances: [60, 30, 0, 0, 10],
        };
        (head, vec![first, second])
    }

    fn walk(head: Head, links: &[Link]) -> Option<(i64, &'static str)> {
        let mut walk = Walk::new(head);
        for link in links {
            walk.step(link);
        }
        walk.finish().map(|found| (found.seq, found.detail))
    }

    #[test]
    fn versions_follow_each_other_and_the_old_one_has_no_guarantee() {
        let (mut head, links) = chain();
        let first = as_version_1(&links[0], &GENESIS);
        let previous: Hash = first.hash.clone().try_into().expect("32 bytes");
        let second = link(2, links[1].changes, links[1].after, &previous);
        head.hash.clone_from(&second.hash);
        assert_eq!(walk(head.clone(), &[first.clone(), second.clone()]), None);
        // The downgrade of a row, as the books would give it.
        let mut downgraded = second.clone();
        (downgraded.version, downgraded.details) = (1, None);
        let guarantee = "guarantee changes in version 1, whose hash does not cover it";
        let found = walk(head.clone(), &[first.clone(), downgraded]);
        assert_eq!(found, Some((2, guarantee)));
        // Not even with a hash that fits.
        let forged = as_version_1(&second, &previous);
        head.hash.clone_from(&forged.hash);
        assert_eq!(walk(head, &[first, forged]), Some((2, guarantee)));
        let (head, mut links) = chain();
        (links[0].version, links[0].details) = (1, None);
        let content = "hash does not fit the content";
        assert_eq!(walk(head, &links), Some((1, content)));
    }

    #[test]
    fn a_chain_verifies_and_every_change_to_it_is_found() {
        let (head, links) = chain();
        assert_eq!(walk(head.clone(), &links), None);
        assert_eq!(
            walk(head.clone(), &links[..1]),
            Some((2, "transaction is missing"))
        );
        assert_eq!(
            walk(head.clone(), &links[1..]),
            Some((1, "transaction is missing"))
        );
        let tampered = |change: fn(&mut Link)| {
            let mut links = links.clone();
            change(&mut links[0]);
            walk(head.clone(), &links)
        };
        let content = Some((1, "hash does not fit the content"));
        assert_eq!(tampered(|link| link.changes[0] += 1), content);
        assert_eq!(tampered(|link| link.kind = "deposit".into()), content);
        assert_eq!(
            tampered(|link| link.posted_at += chrono::TimeDelta::microseconds(1)),
            content
        );
        assert_eq!(tampered(|link| link.hash[0] ^= 1), content);
        assert_eq!(tampered(|link| link.changes[4] += 1), content);
        assert_eq!(
            tampered(|link| link.details = Some(Columns { fee: 1, ..COLUMNS }.details())),
            content
        );
        assert_eq!(
            tampered(|link| link.version = 3),
            Some((1, "version is unknown"))
        );
        assert_eq!(
            tampered(|link| link.after[0] += 1),
            Some((1, "balances after do not follow from the change"))
        );
        let other = |change: fn(&mut Head)| {
            let mut head = head.clone();
            change(&mut head);
            walk(head, &links)
        };
        assert_eq!(
            other(|head| head.hash[31] ^= 1),
            Some((2, "wallet's chain head is another"))
        );
        assert_eq!(
            other(|head| head.balances[3] += 1),
            Some((2, "wallet's balances are others"))
        );
        assert_eq!(
            other(|head| head.seq = 3),
            Some((3, "transaction is missing"))
        );
        // Posted after the head was read.
        let earlier = Head {
            seq: 1,
            hash: links[0].hash.clone(),
            balances: [100, 0, 0, 0, 0],
            ..head.clone()
        };
        assert_eq!(walk(earlier, &links), None);
    }
}
