//! What became of the reports of an import or a stream.

use super::entity::Verdict;

/// Rejected reports that are named: enough to repair a file, and an answer well below the largest
/// gRPC message.
const MOST_NAMED: usize = 20_000;

/// A report that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Its line in the file, or its place in the stream.
    pub line: u64,
    /// Why, in English.
    pub reason: String,
}

/// What became of reports, by verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Reports in all.
    pub read: i64,
    /// New ones.
    pub applied: i64,
    /// Known ones.
    pub repeated: i64,
    /// Restatements of known ones.
    pub restated: i64,
    /// Ones that cannot be taken.
    pub rejected_count: i64,
    /// The first of those.
    pub rejected: Vec<Rejected>,
}

impl Summary {
    /// Adds a report that was read.
    pub fn add(&mut self, line: u64, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Applied => &mut self.applied,
            Verdict::Repeated => &mut self.repeated,
            Verdict::Restated => &mut self.restated,
            Verdict::Rejected(reason) => {
                if self.rejected.len() < MOST_NAMED {
                    self.rejected.push(Rejected { line, reason });
                }
                &mut self.rejected_count
            }
        };
        *counter = counter.saturating_add(1);
    }
}
