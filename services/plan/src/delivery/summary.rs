//! What became of the reports of an import or a stream.

use super::entity::Verdict;
use super::proposal::Import;

/// Rejected reports that are named: enough to repair a file, and an answer well below the largest
/// gRPC message.
const MOST_NAMED: usize = 20_000;

/// A report that is not taken.
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
    /// Ones that wait for a second member of staff; the first of them, with the reason.
    pub held: Vec<Rejected>,
    /// Ones that the gate holds back.
    pub quarantined_count: i64,
    /// The first of those, with the reason.
    pub quarantined: Vec<Rejected>,
    /// Ones that cannot be taken.
    pub rejected_count: i64,
    /// The first of those.
    pub rejected: Vec<Rejected>,
}

impl Summary {
    /// What became of the rows of an import that was released, in place of what would have.
    pub fn take(&mut self, import: &Import) {
        let taken = &import.taken;
        self.applied = taken.applied;
        self.restated = taken.restated;
        self.repeated = self.repeated.saturating_add(taken.repeated);
        // Those that were found in the file are among them.
        self.quarantined_count = self.quarantined_count.max(taken.quarantined);
        self.rejected_count = self.rejected_count.saturating_add(taken.rejected);
        for rejection in &taken.rejections {
            if self.rejected.len() < MOST_NAMED {
                self.rejected.push(Rejected {
                    line: rejection.line.unsigned_abs(),
                    reason: rejection.reason.clone(),
                });
            }
        }
        self.rejected.sort_by_key(|rejected| rejected.line);
    }

    /// Adds a report that was read.
    pub fn add(&mut self, line: u64, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Applied => &mut self.applied,
            Verdict::Repeated => &mut self.repeated,
            Verdict::Restated => &mut self.restated,
            Verdict::Held(reason) => {
                if self.held.len() < MOST_NAMED {
                    self.held.push(Rejected { line, reason });
                }
                return;
            }
            Verdict::Quarantined(reason) => {
                if self.quarantined.len() < MOST_NAMED {
                    self.quarantined.push(Rejected { line, reason });
                }
                &mut self.quarantined_count
            }
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
