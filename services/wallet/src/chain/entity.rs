//! The hash chain of a user: rules to recompute it from what a user, an auditor or an event's receiver sees.
//!
//! The canonical bytes of a transaction are the UTF-8 text
//!
//! ```text
//! adfolio-chain-1|USER|SEQ|TIME|ID|TYPE|AVAILABLE|TO_BE_CONSUMED|TO_BE_SETTLED|WITHDRAWING
//! ```
//!
//! - USER and ID: the user's and the transaction's id, UUIDs in lower case with hyphens;
//! - SEQ: the transaction's number in the user's chain in decimal, from 1 without a hole;
//! - TIME: RFC 3339 in UTC with exactly six decimals, `2026-11-21T09:30:00.123456Z`;
//! - TYPE: `deposit`, `hold`, `consume`, `accrue`, `release`, `settle`, `withdraw`, `withdrawal_paid`,
//!   `withdrawal_rejected`, `chargeback`, `recharge_deduction`, `membership`, `exchange_debit`, `exchange_return`,
//!   `exchange_credit`, `start_up_grant` or `start_up_return`;
//! - the changes of the four balances in minor units in decimal, with a `-` where negative and no sign otherwise.
//!
//! `hash = SHA-256(hash before ‖ canonical bytes)`, where the hash before a user's first transaction is 32 zero bytes.
//! The event `adfolio.wallet.v1.TransactionPosted` carries every part in this form.

use adfolio_kit::identity::UserId;
use chrono::{DateTime, SecondsFormat, Utc};
use sha2::{Digest, Sha256};

use crate::ids::TransactionId;

pub type Hash = [u8; 32];

/// The hash before a user's first transaction.
pub const GENESIS: Hash = [0; 32];

/// The head of the canonical bytes; another form would get another one.
const FORMAT: &str = "adfolio-chain-1";

/// A transaction as its hash covers it, with what the books say of the balances after it.
#[derive(Clone, Debug)]
pub struct Link {
    pub user_id: UserId,
    pub seq: i64,
    pub posted_at: DateTime<Utc>,
    pub id: TransactionId,
    pub kind: String,
    /// Changes of the four balances: available, to be consumed, to be settled, withdrawing.
    pub changes: [i64; 4],
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
    /// Changes of the four balances: available, to be consumed, to be settled, withdrawing.
    pub changes: [i64; 4],
}

impl Sealing<'_> {
    pub fn canonical_bytes(&self) -> Vec<u8> {
        self.canonical_text().into_bytes()
    }

    fn canonical_text(&self) -> String {
        let [available, to_be_consumed, to_be_settled, withdrawing] = self.changes;
        let time = self.posted_at.to_rfc3339_opts(SecondsFormat::Micros, true);
        format!(
            "{FORMAT}|{}|{}|{time}|{}|{}|{available}|{to_be_consumed}|{to_be_settled}|{withdrawing}",
            self.user_id, self.seq, self.id, self.kind
        )
    }

    /// The hash that follows from the one before.
    pub fn hash_after(&self, previous: &Hash) -> Hash {
        let mut hash = Sha256::new();
        hash.update(previous);
        hash.update(self.canonical_bytes());
        hash.finalize().into()
    }
}

impl Link {
    /// The hash that follows from the one before.
    pub fn hash_after(&self, previous: &Hash) -> Hash {
        self.sealing().hash_after(previous)
    }

    /// The text that its hash covers, besides the hash before.
    pub fn canonical_text(&self) -> String {
        self.sealing().canonical_text()
    }

    fn sealing(&self) -> Sealing<'_> {
        Sealing {
            user_id: self.user_id,
            seq: self.seq,
            posted_at: self.posted_at,
            id: self.id,
            kind: &self.kind,
            changes: self.changes,
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
    /// The four balances.
    pub balances: [i64; 4],
}

/// Follows one user's chain from its beginning.
#[derive(Debug)]
pub struct Walk {
    head: Head,
    seq: i64,
    hash: Hash,
    balances: [i64; 4],
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
            balances: [0; 4],
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
        if link.hash != hash {
            self.fail(expected, "hash does not fit the content");
        } else if sums != Some(link.after) {
            self.fail(expected, "balances after do not follow from the change");
        }
        self.seq = expected;
        self.hash = hash;
        self.balances = link.after;
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

fn add(balances: [i64; 4], changes: [i64; 4]) -> Option<[i64; 4]> {
    let mut sums = [0; 4];
    for (sum, (balance, change)) in sums.iter_mut().zip(balances.into_iter().zip(changes)) {
        *sum = balance.checked_add(change)?;
    }
    Some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posting::transaction_type::TransactionType;

    fn link(seq: i64, changes: [i64; 4], after: [i64; 4], previous: &Hash) -> Link {
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
            changes,
            after,
            hash: Vec::new(),
        };
        link.hash = link.hash_after(previous).to_vec();
        link
    }

    #[test]
    fn canonical_bytes_are_the_documented_ones() {
        let link = link(7, [-60_000, 70_000, 0, 0], [0; 4], &GENESIS);
        let expected = "adfolio-chain-1|0193b2a4-5a00-7000-8000-0000000000aa|7|2026-11-21T09:30:00.120000Z|\
                        0193b2a4-5a00-7000-8000-0000000000bb|hold|-60000|70000|0|0";
        assert_eq!(
            String::from_utf8(link.sealing().canonical_bytes()).expect("text"),
            expected
        );
        // Computed outside: sha256sum over 32 zero bytes and this text.
        assert_eq!(
            hex::encode(link.hash_after(&GENESIS)),
            "40db7a7a9c19f72601c2b78715ffa97336b20b06a29022ade4e44c6323e48a41"
        );
    }

    #[test]
    fn hashes_are_those_that_were_ever_written() {
        let vectors = include_str!("vectors.txt").lines();
        let vectors: Vec<Vec<&str>> = vectors
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split(' ').collect())
            .collect();
        assert_eq!(vectors.len(), TransactionType::ALL.len());
        for (parts, kind) in vectors.iter().zip(TransactionType::ALL) {
            let [previous, bytes, hash] = parts[..] else {
                panic!("{parts:?}");
            };
            let fields: Vec<&str> = bytes.split('|').collect();
            let number = |place: usize| fields[place].parse::<i64>().expect("a number");
            let sealing = Sealing {
                user_id: fields[1].parse().expect("an id"),
                seq: number(2),
                posted_at: fields[3].parse().expect("an instant"),
                id: fields[4].parse().expect("an id"),
                kind: kind.as_str(),
                changes: [6, 7, 8, 9].map(number),
            };
            let found = String::from_utf8(sealing.canonical_bytes()).expect("text");
            assert_eq!(found, bytes);
            let before: Hash = hex::decode(previous)
                .expect("hex")
                .try_into()
                .expect("32 bytes");
            assert_eq!(hex::encode(sealing.hash_after(&before)), hash, "{bytes}");
        }
    }

    fn chain() -> (Head, Vec<Link>) {
        let first = link(1, [100, 0, 0, 0], [100, 0, 0, 0], &GENESIS);
        let previous = first.hash.clone().try_into().expect("32 bytes");
        let second = link(2, [-40, 40, 0, 0], [60, 40, 0, 0], &previous);
        let head = Head {
            user_id: first.user_id,
            seq: 2,
            hash: second.hash.clone(),
            balances: second.after,
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
            balances: links[0].after,
            ..head.clone()
        };
        assert_eq!(walk(earlier, &links), None);
    }
}
