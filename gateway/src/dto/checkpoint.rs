//! Signed checkpoints of the hash chains, and proofs from them.

use adfolio_proto::wallet::v1 as wallet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Timestamp, wire_struct};

wire_struct! {
    /// A signed state of the log that keeps the heads of all hash chains.
    pub struct Checkpoint = wallet::Checkpoint as checkpoint {
        /// Heads of chains in the log.
        #[schema(example = 1000)]
        pub size: i64,
        /// Root of the Merkle tree over them: SHA-256 in lower-case hex.
        #[schema(example = "5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456")]
        pub root: String = (hex::encode(checkpoint.root)),
        /// When it was signed.
        pub time: Timestamp,
        /// The signed note (C2SP checkpoint).
        #[schema(example = "adfolio/wallet\n1000\nXfbg4nYTWdMKgnUFjimfzAOBU0VF9Vz0PkGYP11MlFY=\ntime 2026-11-26T09:30:00Z\n\n\u{2014} adfolio/wallet AAAA\n")]
        pub note: String,
    }
}

/// Which part of the log is to be proven.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ConsistencyQuery {
    /// The earlier size.
    #[schema(minimum = 1, example = 900)]
    pub first: i64,
    /// The later size, at most that of the newest checkpoint.
    #[schema(minimum = 1, example = 1000)]
    pub second: i64,
}

/// That the log of the later size begins with all of the log of the earlier one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Consistency {
    /// Hashes in lower-case hex, in the order of RFC 6962.
    pub path: Vec<String>,
}

impl Consistency {
    /// From the service's hashes.
    pub fn from_proto(path: &[Vec<u8>]) -> Self {
        Self {
            path: path.iter().map(hex::encode).collect(),
        }
    }
}

/// Selects a transaction.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct HeadProofQuery {
    /// Its number in the caller's statements.
    #[schema(minimum = 1, example = 17)]
    pub sequence: i64,
}

wire_struct! {
    /// That the newest checkpoint has the caller's first head that was published at or after a transaction.
    pub struct HeadProof = wallet::GetHeadProofResponse as proof {
        /// The published head: `adfolio-head-1|USER|SEQUENCE|HASH`.
        #[schema(example = "adfolio-head-1|0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e34|17|5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456")]
        pub leaf: String,
        /// Its place in the log, from 0.
        #[schema(example = 941)]
        pub index: i64,
        /// Heads in the log of the note.
        #[schema(example = 1000)]
        pub size: i64,
        /// Hashes from the leaf to the root, in lower-case hex.
        pub path: Vec<String> = (proof.path.iter().map(hex::encode).collect()),
        /// The checkpoint as a signed note.
        #[schema(example = "adfolio/wallet\n1000\nXfbg4nYTWdMKgnUFjimfzAOBU0VF9Vz0PkGYP11MlFY=\ntime 2026-11-26T09:30:00Z\n\n\u{2014} adfolio/wallet AAAA\n")]
        pub note: String,
        /// Hashed texts of the transactions behind that one, up to and with the head's; none if they are more than 1000.
        pub links: Vec<String>,
    }
}
