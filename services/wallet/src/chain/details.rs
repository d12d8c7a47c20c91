//! What version 2 of the chain covers besides what the canonical text names. The rules are in [`entity`](super::entity).

use std::fmt::{self, Display};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::entity::Hash;

/// The columns of a transaction that the canonical text does not name and that do not follow from others.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    pub platform_account: Option<&'a str>,
    pub platform_change: i64,
    pub fee: i64,
    pub flow_type: Option<&'a str>,
    pub order_id: Option<Uuid>,
    pub order_version: Option<i64>,
    pub reference: Option<Uuid>,
    pub idempotency_key: Option<&'a str>,
    pub request_digest: Option<&'a [u8]>,
    pub staff_id: Option<Uuid>,
    /// Empty if there is none.
    pub remark: &'a str,
}

/// The hashes that stand for these columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Details {
    /// DETAILS, which the canonical text names.
    pub hash: Hash,
    /// UNDISCLOSED, with which a user verifies the reference and the remark.
    pub undisclosed: Hash,
}

impl Columns<'_> {
    pub fn details(&self) -> Details {
        let undisclosed = sha256(
            &[],
            format_args!(
                "adfolio-undisclosed-1|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}",
                Field(self.platform_account),
                self.platform_change,
                self.fee,
                Field(self.flow_type),
                Field(self.order_id),
                Field(self.order_version),
                Field(self.reference),
                Field(self.idempotency_key.map(hashed)),
                Field(self.request_digest.map(Hex)),
                Field(self.staff_id),
            ),
        );
        let remark = Some(self.remark).filter(|remark| !remark.is_empty());
        let hash = sha256(
            &[],
            format_args!(
                "adfolio-details-1|{}|{}|{}",
                Field(self.order_id.or(self.reference)),
                Field(remark.map(hashed)),
                Hex(&undisclosed),
            ),
        );
        Details { hash, undisclosed }
    }
}

/// A part of a text that may be absent.
struct Field<T>(Option<T>);

impl<T: Display> Display for Field<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(formatter),
            None => formatter.write_str("-"),
        }
    }
}

/// Bytes in lower-case hex.
pub(super) struct Hex<B>(pub(super) B);

impl<B: AsRef<[u8]>> Display for Hex<B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(self.0.as_ref()))
    }
}

/// Free text stands in other texts as its hash: nobody can forge a separator with it.
fn hashed(text: &str) -> Hex<Hash> {
    Hex(Sha256::digest(text).into())
}

/// The hash of some bytes and a text behind them, which is never put together in memory.
pub(super) fn sha256(before: &[u8], text: impl Display) -> Hash {
    struct Sink(Sha256);

    impl fmt::Write for Sink {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            self.0.update(part);
            Ok(())
        }
    }

    let mut sink = Sink(Sha256::new_with_prefix(before));
    // Neither the sink nor the parts can fail.
    let _ = fmt::Write::write_fmt(&mut sink, format_args!("{text}"));
    sink.0.finalize().into()
}
