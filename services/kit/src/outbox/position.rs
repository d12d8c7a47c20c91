//! How far a log has been sent.
//!
//! Numbers are taken before the commit, so a number may appear after higher ones were sent. The
//! relay sends what it sees and remembers the gaps; it does not wait at them, because a running
//! transaction may last. The order per subject does not suffer: a writer holds the row lock of its
//! subject from before it takes a number until its commit, so below an event that is seen, no
//! event of the same subject is still to come.

use std::ops::RangeInclusive;

/// Numbers up to the position that were not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) first: i64,
    pub(super) last: i64,
    /// The id of the relay's transaction that saw the gap, assigned after it had looked; none in
    /// that transaction itself. When all older transactions have ended, numbers without a row will
    /// never have one.
    pub(super) seen_by: Option<i64>,
}

/// How far a log has been sent: everything up to `sent_to` except for the gaps, which are in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) sent_to: i64,
    pub(super) gaps: Vec<Gap>,
}

/// What a look at the log covered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    /// The gaps up to this number.
    pub(super) gaps_to: i64,
    /// Everything behind the position up to this number.
    pub(super) log_to: i64,
}

impl Position {
    /// The position after a look at the log. `rows` are the numbers found, in order, and whether
    /// each was sent; `oldest_running` is the oldest running transaction at a moment before the
    /// look.
    pub(super) fn after(
        &self,
        covered: Covered,
        rows: &[(i64, bool)],
        oldest_running: i64,
    ) -> Self {
        let mut next = Self {
            sent_to: covered.log_to.max(self.sent_to),
            gaps: Vec::new(),
        };
        for gap in &self.gaps {
            let looked_at = gap.last.min(covered.gaps_to);
            if gap.first <= looked_at {
                let is_settled = gap.seen_by.is_some_and(|it| it <= oldest_running);
                next.keep_unsent(gap.first..=looked_at, rows, gap.seen_by, is_settled);
            }
            let rest = gap.first.max(looked_at.saturating_add(1));
            if rest <= gap.last {
                next.keep(rest..=gap.last, gap.seen_by);
            }
        }
        let behind = self.sent_to.saturating_add(1)..=next.sent_to;
        if !behind.is_empty() {
            next.keep_unsent(behind, rows, None, false);
        }
        next
    }

    /// Keeps what was not sent of a range as gaps. When it is settled, numbers without a row are
    /// done.
    fn keep_unsent(
        &mut self,
        range: RangeInclusive<i64>,
        rows: &[(i64, bool)],
        seen_by: Option<i64>,
        is_settled: bool,
    ) {
        let from = rows.partition_point(|(id, _)| id < range.start());
        let to = rows.partition_point(|(id, _)| id <= range.end());
        let mut next = *range.start();
        for &(id, is_sent) in rows.get(from..to).unwrap_or_default() {
            if !is_settled && next < id {
                self.keep(next..=id.saturating_sub(1), seen_by);
            }
            if !is_sent {
                self.keep(id..=id, seen_by);
            }
            next = id.saturating_add(1);
        }
        if !is_settled && next <= *range.end() {
            self.keep(next..=*range.end(), seen_by);
        }
    }

    fn keep(&mut self, range: RangeInclusive<i64>, seen_by: Option<i64>) {
        let (first, last) = range.into_inner();
        if let Some(before) = self.gaps.last_mut()
            && before.seen_by == seen_by
            && before.last.saturating_add(1) == first
        {
            before.last = last;
        } else {
            self.gaps.push(Gap {
                first,
                last,
                seen_by,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Covered = Covered {
        gaps_to: i64::MAX,
        log_to: 0,
    };

    fn to(log_to: i64) -> Covered {
        Covered { log_to, ..ALL }
    }

    fn gap(first: i64, last: i64, seen_by: impl Into<Option<i64>>) -> Gap {
        Gap {
            first,
            last,
            seen_by: seen_by.into(),
        }
    }

    #[test]
    fn without_gaps_the_position_moves_to_the_last_row() {
        let rows = [(1, true), (2, true), (3, true)];
        let after = Position::default().after(to(3), &rows, 0);
        assert_eq!((after.sent_to, after.gaps), (3, vec![]));
    }

    #[test]
    fn what_is_missing_or_was_refused_stays_as_a_gap() {
        let rows = [(3, true), (4, false), (7, true)];
        let after = Position::default().after(to(7), &rows, 0);
        assert_eq!(after.sent_to, 7);
        assert_eq!(after.gaps, [gap(1, 2, None), gap(4, 6, None)]);
    }

    #[test]
    fn a_gap_is_filled_by_late_rows_and_ends_once_no_older_transaction_runs() {
        let position = Position {
            sent_to: 10,
            gaps: vec![gap(2, 4, 100), gap(6, 6, 120)],
        };
        let late = position.after(ALL, &[(3, true)], 99);
        assert_eq!(late.gaps, [gap(2, 2, 100), gap(4, 4, 100), gap(6, 6, 120)]);
        let settled = late.after(ALL, &[], 100);
        assert_eq!(settled.gaps, [gap(6, 6, 120)]);
        assert_eq!(settled.sent_to, 10);
    }

    #[test]
    fn a_refused_row_outlives_the_end_of_its_gap() {
        let position = Position {
            sent_to: 10,
            gaps: vec![gap(2, 5, 100)],
        };
        let refused = position.after(ALL, &[(3, false), (4, true)], 200);
        assert_eq!(refused.gaps, [gap(3, 3, 100)]);
        assert_eq!(refused.after(ALL, &[(3, true)], 200).gaps, []);
    }

    #[test]
    fn gaps_behind_the_covered_ones_stay_as_they_are() {
        let position = Position {
            sent_to: 20,
            gaps: vec![gap(2, 8, 100), gap(12, 14, 100)],
        };
        let covered = Covered {
            gaps_to: 4,
            log_to: 0,
        };
        let after = position.after(covered, &[(2, true), (4, true)], 200);
        assert_eq!(after.gaps, [gap(5, 8, 100), gap(12, 14, 100)]);
        assert_eq!(after.sent_to, 20);
    }
}
